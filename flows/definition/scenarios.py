"""Scenarios of a flow: a path through it, what is expected after each step, and how a run deviates from it.

Rules and attributes are named so that a scenario survives a changed order and changed names: by the number
that they have once they were published, else by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypeAlias

from django.utils.translation import gettext as _

from flows import json_text
from flows.labels import rule_in_sentence
from flows.types import Situation

Definition: TypeAlias = Mapping[str, Any]
# {"id", "name", "transition", "final"}: what the rule has of these.
RuleName: TypeAlias = Mapping[str, Any]
Do: TypeAlias = Literal["start", "complete", "simulate", "due", "repair"]
REPAIR = -1


class NoSuchRule(LookupError):
    """The definition does not have the rule that a scenario names."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step: start, complete the transition of a rule, let its time come, or repair the exception.

    "simulate" completes with the result of the transition's stand-in, so that it has no changes. `expected`
    has "status", "fired" and "holds" (rules), "values"; what it does not name is not compared.
    """

    do: Do
    rule: RuleName | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    expected: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario of a flow; `revision` grows by one with each save. `attributes` has the numbers of names."""

    flow: str
    name: str
    steps: Sequence[Step]
    story: str = ""
    attributes: Mapping[str, int] = field(default_factory=dict)
    revision: int = 0
    changed_at: datetime | None = None
    changed_by: str = ""


@dataclass(frozen=True, slots=True)
class Deviation:
    """The first step, from 0, at which a run is not as expected, and how, in the active language."""

    step: int
    sentence: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """A run of a scenario: the situation after each accepted step, and where it deviates first."""

    scenario: Scenario
    situations: Sequence[Situation]
    deviation: Deviation | None = None

    @property
    def ok(self) -> bool:
        return self.deviation is None


def rule_name(trigger: Mapping[str, Any]) -> dict[str, Any]:
    """Return how a scenario names a rule of a definition."""
    return {key: trigger[key] for key in ("id", "name", "transition", "final") if trigger.get(key)}


def place_of(definition: Definition, rule: RuleName) -> int:
    """Return the place of a rule: by its number, else by its name, else by its transition.

    Raises NoSuchRule also where several rules have the transition.
    """
    triggers = definition["triggers"]
    for key in ("id", "name", "transition", "final"):
        wanted = rule.get(key)
        found = [n for n, one in enumerate(triggers) if wanted and one.get(key) == wanted]
        if len(found) == 1:
            return found[0]
    raise NoSuchRule(_("The definition has no rule %(rule)s.") % {"rule": rule_in_sentence(rule)})


def renamed(
    definition: Definition, attributes: Mapping[str, int], values: Mapping[str, Any]
) -> dict[str, Any]:
    """Return values by the names that their attributes have in this definition."""
    names = {one["id"]: one["name"] for one in definition["attributes"] if one.get("id") and one.get("name")}
    return {names.get(attributes.get(name), name): value for name, value in values.items()}


def path(definition: Definition, scenario: Scenario) -> Iterator[dict[str, Any]]:
    """Return the steps as the kernel tries them. Raises NoSuchRule at the first that cannot be tried."""
    for step in scenario.steps:
        one: dict[str, Any] = {"changes": renamed(definition, scenario.attributes, step.changes)}
        if step.do == "repair":
            one["trigger"] = REPAIR
        elif step.rule is not None:
            one["timer" if step.do == "due" else "trigger"] = place_of(definition, step.rule)
        if step.do == "simulate":
            one["simulate"] = True
        yield one


def observed(definition: Definition, before: Situation | None, after: Situation) -> dict[str, Any]:
    """Return the events of a step, in the form of an expectation."""
    old = before.state if before else {}
    return {
        "status": after.status,
        "fired": [rule_name(definition["triggers"][n]) for n in after.fired],
        "holds": [rule_name(definition["triggers"][n]) for n in held(after)],
        "values": {
            name: value for name, value in after.state.items() if name not in old or old[name] != value
        },
    }


def held(situation: Situation) -> list[int]:
    """Return the rules whose conditions hold."""
    return [n for n, letter in enumerate(situation.held) if letter == "t"]


def attribute_numbers(definition: Definition) -> dict[str, int]:
    """Return the numbers of the attributes that have one, by name."""
    return {one["name"]: one["id"] for one in definition["attributes"] if one.get("id") and one.get("name")}


def deviation(definition: Definition, scenario: Scenario, step: int, after: Situation) -> Deviation | None:
    """Return how a situation is not as expected after this step; None if it is."""
    expected = scenario.steps[step].expected
    sentence = next(_differences(definition, scenario, expected, after), None)
    return None if sentence is None else Deviation(step, sentence)


def _differences(
    definition: Definition, scenario: Scenario, expected: Mapping[str, Any], after: Situation
) -> Iterator[str]:
    triggers = definition["triggers"]
    try:
        fired = {place_of(definition, rule) for rule in expected.get("fired", ())}
        holds = {place_of(definition, rule) for rule in expected.get("holds", ())}
    except NoSuchRule as missing:
        yield str(missing)
        return
    if "fired" in expected:
        yield from _named(_("These rules should have fired: %(rules)s."), triggers, fired - {*after.fired})
        yield from _named(
            _("These rules should not have fired: %(rules)s."), triggers, {*after.fired} - fired
        )
    if expected.get("status", after.status) != after.status:
        yield _("The status is %(found)s instead of %(expected)s.") % {
            "found": status(after.status),
            "expected": status(expected["status"]),
        }
    if "holds" in expected:
        now = set(held(after))
        yield from _named(_("These conditions should hold: %(rules)s."), triggers, holds - now)
        yield from _named(_("These conditions should not hold: %(rules)s."), triggers, now - holds)
    yield from _values(renamed(definition, scenario.attributes, expected.get("values", {})), after.state)


def _named(sentence: str, triggers: Sequence[RuleName], places: set[int]) -> Iterator[str]:
    if places:
        yield sentence % {"rules": ", ".join(rule_in_sentence(triggers[n]) for n in sorted(places))}


def _values(expected: Mapping[str, Any], state: Mapping[str, Any]) -> Iterator[str]:
    for name, value in expected.items():
        if name not in state:
            yield _("The definition has no attribute %(name)s.") % {"name": name}
        elif state[name] != value:
            yield _("%(name)s is %(found)s instead of %(expected)s.") % {
                "name": name,
                "found": _shown(state[name]),
                "expected": _shown(value),
            }


def _shown(value: Any) -> str:
    text = json_text.encode(value)
    return text if len(text) <= 80 else text[:79] + "…"


def status(letter: str) -> str:
    """Return a status for people."""
    names = {"R": _("running"), "E": _("exception"), "F": _("final"), "C": _("cancelled")}
    return names.get(letter, letter)
