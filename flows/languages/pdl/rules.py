"""The rule of an activity as a condition over the attributes with the states of activities.

A leaf of the dissertation's dependency tree becomes true when an activity changes to a state, and stays true.
An activity never returns to NOT_READY and ends once, unless it is retried after it failed: so READY and
SUCCEEDED are seen in its state, and FAILED and RUNNING are kept in attributes of their own where rules name
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from flows.languages.pdl.model import (
    FAILED,
    NOT_READY,
    READY,
    RUNNING,
    SUCCEEDED,
    Activity,
    Rule,
    Term,
    terms,
)


@dataclass(frozen=True)
class Attributes:
    """The attributes of one activity: its state, and what it has reached where rules name that."""

    state: str
    failed: str = ""
    running: str = ""


def named_states(activities: Iterable[Activity]) -> dict[str, set[str]]:
    """Return the states of each activity that rules name."""
    found: dict[str, set[str]] = {}
    for each in activities:
        for term in terms(each.rule):
            found.setdefault(term.activity, set()).add(term.state)
    return found


def condition(rule: Rule, attributes: Mapping[str, Attributes]) -> str:
    """Return a rule as a condition."""
    if isinstance(rule, Term):
        return _term(attributes[rule.activity], rule.state)
    joined = f" {rule.operator.lower()} ".join(condition(part, attributes) for part in rule.parts)
    return f"({joined})"


def _term(found: Attributes, state: str) -> str:
    if state == READY:
        return f"{found.state} <> '{NOT_READY}'"
    if state == FAILED:
        return f"({found.state} = '{FAILED}' or {found.failed})"
    if state == RUNNING:
        return f"({found.running} or {found.state} in ('{RUNNING}', '{SUCCEEDED}', '{FAILED}'))"
    return f"{found.state} = '{state}'"


def ended(found: Attributes, failed: str) -> str:
    """Return the assignments with a result, where `failed` is the condition that it is FAILED."""
    sets = [f"{found.state} = case when {failed} then '{FAILED}' else '{SUCCEEDED}' end"]
    sets += [f"{found.failed} = {found.failed} or {failed}"] if found.failed else []
    return ", ".join(sets)
