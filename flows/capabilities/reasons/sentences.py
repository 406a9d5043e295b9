"""The reasons as sentences in the active language, for pages and commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from flows.capabilities.reasons.api import JobReason, Obstacle
from flows.definition.condition_sentences import Reader
from flows.definition.option_labels import value_label


def needed(obstacle: Obstacle, labels: Mapping[str, str]) -> str:
    """Return a condition that has to hold, with the labels of attributes: Payment is 'paid'."""
    return Reader(labels).read(obstacle.outline, negated=obstacle.wanted == "f")


def found(obstacle: Obstacle) -> str:
    """Return why it is not simply false: it is unknown because of null, or fails; else an empty text."""
    if obstacle.value == "u":
        return _("unknown, as a value is empty")
    return _("fails") if obstacle.value == "e" else ""


def waiting(job: JobReason) -> str:
    """Return the reason for which a job waits; times are left to the caller."""
    return waiting_for({**job.facts, "for": job.waits_for}, job.transition)


def waiting_for(facts: Mapping[str, Any], transition: str) -> str:
    """Return the same for what `explain_waits` returns of a job of this transition."""
    sentence = _WAITING[facts["for"]]() % {
        **facts,
        "holder": facts.get("holder") or "?",
        "n": facts.get("ahead", 0),
        "to": facts.get("to"),
        "by": facts.get("by"),
        "signal": transition,
    }
    if not facts.get("first"):
        return sentence
    first = waiting_for(facts["first"], facts.get("transition", ""))
    return _("%(sentence)s About that job: %(first)s") % {"sentence": sentence, "first": first}


def moment(job: JobReason) -> datetime | None:
    """Return the time that belongs to the sentence: until when or since when it waits."""
    return job.facts.get("until") or job.facts.get("since")


# Functions, as the language of the reader is known only when the sentence is made.
_WAITING: dict[str, Callable[[], str]] = {
    "people": lambda: _("People have to repair the instance."),
    "repair": lambda: _("It is taken again when the instance is repaired."),
    "suspended": lambda: _("The instance is suspended: nothing happens until it is resumed."),
    "exclusion": lambda: _("An older job of the same transition and instance goes first."),
    "held": lambda: _("%(holder)s holds it."),
    "lease": lambda: _("%(holder)s has it on lease."),
    "backoff": lambda: _("It failed and is tried again later."),
    "lock": lambda: _(
        "It waits for “%(lock)s”, which job %(job)s of instance %(instance)s holds: %(holder)s."
    ),
    "lock_queue": lambda: _("It waits for “%(lock)s”; job %(job)s of instance %(instance)s goes first."),
    "task": lambda: _("It is a task that no person has taken, for: %(to)s."),
    "task_held": lambda: _("%(holder)s has taken the task."),
    "signal": lambda: _("It waits for the signal “%(signal)s”."),
    "database": lambda: _("The database performs it with the next maintenance."),
    "children": lambda: _("It waits for its children: %(ended)s of %(total)s have ended."),
    "assigned": lambda: _("It is assigned to %(to)s, by %(by)s; jobs of the transition before it: %(n)s."),
    "no_assignee": lambda: _(
        "It is assigned to %(to)s, by %(by)s, and no worker of this name serves the transition."
    ),
    "no_worker": lambda: _("No worker serves this transition."),
    "queue": lambda: _("It waits for a worker; jobs of the transition before it: %(n)s."),
    "worker": lambda: _("It is the next that a worker takes."),
}


def value(shown: Any, kind: str = "") -> str:
    """Return a value of a state as it is written in a condition, that of an enum by its label."""
    if shown is None:
        return "null"
    if isinstance(shown, bool):
        return str(shown).lower()
    return f"'{value_label(kind, shown)}'" if isinstance(shown, str) else str(shown)
