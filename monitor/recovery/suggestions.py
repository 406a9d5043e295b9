"""Suggestions as the page of a repair shows them: what helped in cases like this one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from flows import api
from flows.capabilities.cases.api import Case
from flows.capabilities.recovery.suggestions import Suggestion
from flows.definition.option_labels import value_label
from flows.designer.trial.values import as_text
from flows.queries.definitions import FlowInfo
from monitor.recovery.choices import CHOICES, Choice
from monitor.recovery.needs import Helped
from pages.addresses import address
from pages.labels import SYSTEM_STEP


@dataclass(frozen=True)
class Written:
    """An attribute that the repair wrote: its value, if that was the same in several cases."""

    title: str
    has_value: bool
    value: str | None


@dataclass(frozen=True)
class Row:
    """A suggestion: `values` fill the form, `link` is the operation whose page does the same."""

    suggestion: Suggestion
    title: str
    written: list[Written]
    values: Mapping[str, Any]
    link: str


def facts(
    case: Case,
    flow: FlowInfo,
    operation: str,
    attributes: Iterable[Mapping[str, Any]],
    offered: Mapping[str, Choice],
    *,
    plain: bool,
) -> dict[str, Any]:
    """Return the repairs that helped in cases like this one, and the case that shows a rule for the same.

    `operation` is that of the page, with fields for `attributes`; `offered` are those that the user may do.
    `plain` pages show no conditions.
    """
    repairable = {one["name"] for one in attributes} if operation == "patch" else set()
    others = {name: one for name, one in offered.items() if name != operation}
    found = api.repairs.suggestions(case.number, [flow.name])
    has_rule = not plain and not flow.concealed and _leads_to_rule(case, found)
    alike = {"show": "closed", "flow": flow.name, "signature": case.signature}
    return {
        "suggested": [_row(one, flow, repairable, others) for one in found],
        "rule_of": case.number if has_rule else None,
        "alike": f"{address('monitor:cases')}?{urlencode(alike)}",
    }


def helped(found: Iterable[Row]) -> dict[str, list[Helped]]:
    """Return for each attribute that repairs wrote what they wrote, where cases reached their final state."""
    helps: dict[str, list[Helped]] = {}
    for one in [each.suggestion for each in found if each.suggestion.final]:
        for name in one.attributes:
            helps.setdefault(name, []).append(Helped(one.final, name in one.values, one.values.get(name)))
    return helps


def filled(found: Iterable[Row], key: str) -> Mapping[str, Any]:
    """Return the values of the suggestion with this key; none if there is no such suggestion."""
    return next((one.values for one in found if one.suggestion.key == key), {})


def _leads_to_rule(case: Case, found: Iterable[Suggestion]) -> bool:
    """Return whether one of these repairs may lead to a proposed rule for cases like this one."""
    return case.cause == "STUCK" and any(one.attributes and one.final for one in found)


def _row(one: Suggestion, flow: FlowInfo, repairable: Collection[str], offered: Mapping[str, Choice]) -> Row:
    choice = offered.get(one.operation)
    bare = choice and not (choice.of_job or choice.of_step or choice.of_late or choice.has_values)
    written = [
        Written(each.title, each.name in one.values, _text(one.values.get(each.name), each.type))
        for each in flow.attributes
        if each.name in one.attributes
    ]
    values = {name: value for name, value in one.values.items() if name in repairable}
    known = CHOICES.get(one.operation)
    title = str(known.title if known else SYSTEM_STEP.get(f"_RECOVER:{one.operation}", one.operation))
    return Row(one, title, written, values, one.operation if bare else "")


def _text(value: Any, kind: str) -> str | None:
    return None if value is None else value_label(kind, as_text(value))
