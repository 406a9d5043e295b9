"""Options that have no effect at a rule, because of what the rule is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from flows.definition.lint.findings import Finding, Rule
from flows.definition.trigger import TRIGGER

# What matters only where a worker takes the job. A timeout would, too, but
# the kernel gives each rule the default of the flow.
TAKING = frozenset({"mode", "max_attempts", "backoff"})
# What holds workers and people back; the jobs of children are taken by none, but wait for these locks, too.
LOCKS = frozenset({"mutex", "lock"})
CHILDREN = frozenset(
    {
        "child_count",
        "child_set",
        "child_wait",
        "child_rest",
        "child_exception",
        "child_errors",
        "child_result",
    }
)
TASKS = frozenset(
    {
        "deadline",
        "outcomes",
        "sets_when_taken",
        "candidate",
        "not_by",
        "same_as",
        "offline",
        "form",
        "application",
    }
)
# The options of rules that fire nothing.
CONDITIONS = frozenset({"id", "name", "condition", "predicate", "final", "integrity", "enabled", "on_error",
                        "label", "description", "timeout"})  # fmt: skip


def without_effect(rule: Rule) -> Iterator[Finding]:
    """Return the options of a rule that differ from their defaults, and that nothing reads."""
    given = {name for name, value in TRIGGER.given(rule.trigger).items() if value not in (None, "", [])}
    for name, why in _unread(rule.trigger, given):
        message = _("The option {name} of {rule} has no effect.").format(name=name, rule=rule.title)
        path = ("triggers", rule.place, name)
        yield rule.found("no_effect", "warning", "proved", message, hint=why, others=[name], path=path)


def _may_fail(trigger: Mapping[str, Any]) -> bool:
    """Return whether the only outcome is that of a worker whose attempts are used up."""
    names = [str(line).partition(":")[0].strip() for line in trigger.get("outcomes") or []]
    return names == ["FAILED"] and trigger.get("performer") != "database"


def _unread(trigger: Mapping[str, Any], given: set[str]) -> Iterator[tuple[str, str]]:
    """Return the names of options that nothing reads, each with the reason."""
    unread: dict[str, str] = {}
    if trigger.get("final") or trigger.get("integrity"):
        unread |= dict.fromkeys(given - CONDITIONS, _("The rule fires nothing."))
    elif trigger.get("signal") or trigger.get("child") or trigger.get("performer") in ("database", "person"):
        unread |= dict.fromkeys(given & TAKING, _("No worker takes its jobs."))
        if not trigger.get("child") and trigger.get("performer") != "person":
            unread |= dict.fromkeys(given & LOCKS, _("No worker takes its jobs."))
    if trigger.get("performer") == "database":
        unread |= dict.fromkeys(given & {"role"}, _("The database performs it."))
    if not trigger.get("signal"):
        unread |= dict.fromkeys(given & {"keep"}, _("It needs the option signal."))
    if not trigger.get("child"):
        unread |= dict.fromkeys(given & CHILDREN, _("It needs the option child."))
    if trigger.get("performer") != "person":
        lacking = given & TASKS - ({"outcomes"} if _may_fail(trigger) else set())
        unread |= dict.fromkeys(lacking, _("It needs performer: person."))
    if trigger.get("compensation") != "transition":
        unread |= dict.fromkeys(given & {"compensated_by"}, _("It needs compensation: transition."))
    if not trigger.get("due_attr") and str(trigger.get("due_after") or "").startswith("-"):
        unread["due_after"] = _("It is over at once; before a time in an attribute it needs due_attr.")
    return iter(sorted(unread.items()))
