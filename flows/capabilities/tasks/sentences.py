"""What messages about tasks say, in the language of their reader."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy
from django.utils.translation import ngettext

from flows.capabilities.tasks.deadlines import Message
from flows.labels import translate_label

Text = str | Promise
ENDS: Mapping[str, Text] = {
    "F": lazy("The instance has reached its final condition."),
    "C": lazy("The instance was cancelled."),
    "A": lazy("The instance was aborted, and its steps were undone."),
}


def sentence(message: Message) -> str:
    """Return the text of a message."""
    facts = message.facts
    if message.kind == "s":
        return _("The instance was started by %(actor)s.") % {"actor": facts.get("actor") or "?"}
    if message.kind == "e":
        return str(ENDS.get(str(facts.get("status")), _("The instance has ended.")))
    if message.kind == "o":
        return _overtaken(facts)
    named = {"task": translate_label(str(facts.get("label", ""))) or facts.get("transition", ""), **facts}
    if message.kind == "f":
        return _("%(actor)s reports that “%(task)s” could not be done: %(reason)s") % named
    return _deadline(named)


def _overtaken(facts: Mapping[str, object]) -> str:
    """Return that another person changed an instance of which the reader had a task or the case."""
    if "dropped" in facts:
        return _dropped(facts)
    task = translate_label(str(facts.get("label", ""))) or facts.get("transition", "")
    named = {"actor": facts.get("actor") or "?", "task": task, "case": facts.get("case")}
    if facts.get("case"):
        text = _("%(actor)s changed the instance whose case %(case)s you had claimed.") % named
    elif facts.get("actor"):
        text = (
            _("You no longer have “%(task)s”: %(actor)s changed the instance, or took the task back.") % named
        )
    else:
        text = _("You no longer have “%(task)s”: the instance changed.") % named
    return f"{text} {facts['reason']}" if facts.get("reason") else text


def _dropped(facts: Mapping[str, object]) -> str:
    """Return that a flow was dropped of which the reader had tasks or cases."""
    n = int(str(facts["tasks"]))
    return ngettext(
        "%(actor)s deleted the flow “%(flow)s” with its instances; %(n)s task or case of it was yours.",
        "%(actor)s deleted the flow “%(flow)s” with its instances; %(n)s tasks and cases of it were yours.",
        n,
    ) % {"actor": facts.get("actor") or "?", "flow": translate_label(str(facts.get("label", ""))), "n": n}


def _deadline(facts: dict[str, object]) -> str:
    due = datetime.fromisoformat(str(facts["due_at"]))
    facts["time"] = timezone.localtime(due).strftime("%Y-%m-%d %H:%M")
    hours = float(str(facts["hours"]))
    if not hours:
        text = _("The time for “%(task)s” was over at %(time)s.") % facts
    else:
        facts["hours"] = f"{hours:g}"
        text = _("“%(task)s” is due at %(time)s: the message of %(hours)s h before.") % facts
    if facts.get("to"):
        return text + " " + _("The task went to %(to)s.") % facts
    return text + (" " + _("%(owner)s has it.") % facts if facts.get("owner") else "")
