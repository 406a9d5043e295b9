"""An option that has no effect at a rule is a finding, and one that has an effect is none."""

from __future__ import annotations

from typing import Any

import pytest

from flows.definition.lint.effects import without_effect
from flows.definition.lint.findings import Rule
from flows.definition.trigger import TRIGGER

KINDS: dict[str, dict[str, Any]] = {
    "worker": {"transition": "tr_x"},
    "person": {"transition": "tr_x", "performer": "person"},
    "signal": {"transition": "tr_x", "signal": True},
    "child": {"transition": "tr_x", "child": "parcels"},
    "database": {"transition": "tr_x", "performer": "database", "sets": "a = 'x'"},
    "final": {"final": True},
    "integrity": {"integrity": True},
}
FIRES = ("worker", "person", "signal", "child", "database")
LOCKED = ("worker", "child", "person")
EVERY = (*FIRES, "final", "integrity")
# Each option -> a value that is not its default, and the kinds of rules at which it may be given.
OPTIONS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "name": ("x", EVERY), "condition": ("x", EVERY), "predicate": ("a = '1'", EVERY),
    "enabled": (False, EVERY), "on_error": ("abort", EVERY), "label": ("X", EVERY),
    "description": ("X", EVERY), "timeout": ("2 hours", EVERY),
    "final": (True, ("final", "integrity")), "integrity": (True, ("final", "integrity")),
    "transition": ("tr_y", FIRES), "revalidate": ("withdraw", FIRES), "max_firings": (3, FIRES),
    "pickup_deadline": ("1 day", FIRES), "priority": (3, FIRES), "due_attr": ("d", FIRES),
    "due_after": ("1 day", FIRES), "concurrent": (True, FIRES), "fire_once": (True, FIRES),
    "refresh_payload": (True, FIRES), "replay": ("reuse", FIRES), "mutex": ("m", LOCKED),
    "lock": ("l", LOCKED), "compensation": ("inverse", FIRES), "class": ("pivot", FIRES),
    "role": ("Clerk", ("worker", "person", "signal", "child")), "sets": ("a = 'y'", FIRES),
    "writes": (["a"], FIRES),
    "mode": ("lease", ("worker",)), "max_attempts": (2, ("worker",)), "backoff": ("1 hour", ("worker",)),
    "performer": ("database", FIRES), "signal": (True, FIRES), "child": ("parcels", FIRES),
    "keep": ("1 day", ("signal",)), "child_count": ("2", ("child",)), "child_set": (["a = '1'"], ("child",)),
    "child_wait": ("0", ("child",)), "child_rest": ("cancel", ("child",)),
    "child_exception": ("fail", ("child",)), "child_errors": (["X"], ("child",)),
    "child_result": (["a = '1'"], ("child",)),
    "compensated_by": ("tr_undo", ()),
    "deadline": ("2 days", ("person",)), "outcomes": (["Yes"], ("person",)),
    "sets_when_taken": ("a = 'y'", ("person",)), "candidate": ("a", ("person",)),
    "not_by": (["tr_y"], ("person",)), "same_as": ("tr_y", ("person",)), "offline": (True, ("person",)),
    "form": ({"sections": []}, ("person",)), "application": ("/orders/", ("person",)),
}  # fmt: skip


def found(**given: Any) -> list[str]:
    """Return the options of a rule that are found to have no effect."""
    rule = Rule(0, {"predicate": "a = '1'"} | given, [], None, frozenset())
    findings = [*without_effect(rule)]
    assert all(one.check == "no_effect" and one.hint for one in findings)
    return [str(one.path[2]) for one in findings]


def test_each_option_is_decided() -> None:
    assert {*OPTIONS} == {*TRIGGER}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_is_found_where_nothing_reads_it(option: str, kind: str) -> None:
    value, read_at = OPTIONS[option]
    rule = KINDS[kind] | {option: value}
    if rule.keys() & {"final", "integrity"} and kind not in ("final", "integrity"):
        return  # it is of that kind then
    assert (option in found(**rule)) is (kind not in read_at)


def test_a_compensation_by_a_transition_reads_which() -> None:
    assert not found(transition="tr_x", compensation="transition", compensated_by="tr_undo")


def test_an_option_that_is_written_and_empty_is_not_given() -> None:
    assert not found(transition="tr_x", child_set=[], child_count="", compensated_by="", keep=None)


@pytest.mark.parametrize(("due_attr", "options"), [(None, ["due_after"]), ("d", [])])
def test_only_a_time_in_an_attribute_has_a_time_before_it(due_attr: str | None, options: list[str]) -> None:
    assert found(transition="tr_x", due_after="-1 day", due_attr=due_attr) == options
