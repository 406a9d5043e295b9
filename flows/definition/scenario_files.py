"""Scenarios as YAML: a list, each with its name, its story and its steps.

A step names one action with its rule or its values, and what is expected after it:
`{complete: pay, result: {payment: paid}, expect: {status: F, fired: [ship]}}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from django.utils.translation import gettext as _

from flows.definition.files import YAML, NotReadable
from flows.definition.scenarios import Do, Scenario, Step

# What the value of each action is: the values of a state, or the name of a rule.
_OF_VALUES = ("start", "repair")
_OF_RULES = ("complete", "simulate", "due")


def read(text: str, flow: str = "") -> list[Scenario]:
    """Return the scenarios of a text. Raises NotReadable."""
    found = YAML.content(text)
    if not isinstance(found, list):
        raise NotReadable(_("no list of scenarios"), 1)
    return scenarios_of(found, flow)


def scenarios_of(found: list[Any], flow: str = "") -> list[Scenario]:
    """Return the scenarios of a list as a text has it. Raises NotReadable."""
    return [_scenario(flow, each) for each in found]


def _scenario(flow: str, given: Any) -> Scenario:
    if not isinstance(given, dict) or not isinstance(given.get("steps"), list):
        raise NotReadable(_("a scenario has a name and the list “steps”"))
    steps = [_step(each) for each in given["steps"]]
    return Scenario(flow, str(given.get("name", "")), steps, str(given.get("story", "")))


def _step(given: Any) -> Step:
    actions = [key for key in (*_OF_VALUES, *_OF_RULES) if isinstance(given, dict) and key in given]
    if len(actions) != 1:
        raise NotReadable(_("a step has one of start, complete, simulate, due and repair"))
    action = actions[0]
    expected = _expected(given.get("expect") or {})
    if action in _OF_VALUES:
        return Step(cast(Do, action), None, given[action] or {}, expected)
    return Step(cast(Do, action), {"name": str(given[action])}, given.get("result") or {}, expected)


def _expected(given: Mapping[str, Any]) -> dict[str, Any]:
    rules = {key: [{"name": name} for name in given[key]] for key in ("fired", "holds") if key in given}
    return {**given, **rules}
