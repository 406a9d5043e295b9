"""Reports of cases as pages show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from flows.access import AnyUser, shown_to
from flows.capabilities.cases.reports import ReportRow
from flows.capabilities.recovery.proposed_rules import Preventable, ProposedRule
from flows.definition.option_labels import value_label
from flows.designer.trial.values import as_text
from flows.queries.definitions import Attribute, FlowInfo, flow_by_name
from monitor.cases.rows import Names, cause

TITLES: Mapping[str, str | Promise] = {
    "cause": gettext_lazy("Cause"),
    "age": gettext_lazy("Age"),
    "queue": gettext_lazy("Queue"),
    "reason_code": gettext_lazy("Reason code"),
    "repairer": gettext_lazy("Repaired by"),
    "flow": gettext_lazy("Flow"),
    "week": gettext_lazy("Week"),
}
AGE: Mapping[str, str | Promise] = {
    "hour": pgettext_lazy("age", "less than an hour"),
    "day": pgettext_lazy("age", "less than a day"),
    "week": pgettext_lazy("age", "less than a week"),
    "month": pgettext_lazy("age", "less than 30 days"),
    "older": pgettext_lazy("age", "30 days or more"),
}


@dataclass(frozen=True)
class Row:
    """A row of a report with its words in the language of the reader."""

    counted: ReportRow
    title: str


@dataclass(frozen=True)
class Prevented:
    """Cases that a rule would have prevented: their cause, their last step, and what the rule would write.

    `rule` is a proposed one, of flows whose values the user sees all.
    """

    found: Preventable
    flow_title: str
    cause: str
    transition: str
    writes: str
    rule: ProposedRule | None


RULE_FIELDS = ("flow", "cause", "transition", "cases", "writes", "repaired", "final", "condition", "prevents")


def rule_cells(one: Prevented) -> list[Any]:
    """Return the cells of a file about cases that a rule would have prevented, by `RULE_FIELDS`."""
    found, rule = one.found, one.rule
    cells = [found.newest.flow, found.newest.cause, found.newest.transition, found.cases, one.writes]
    cells += [found.repair.cases, found.repair.final]
    return [*cells, rule and rule.condition, rule and rule.prevents]


def row(by: str, one: ReportRow, named: Names) -> Row:
    """Return a row with its title; `named` has the flows by which cases are counted."""
    if by == "cause":
        return Row(one, cause(one.value))
    if by == "age":
        return Row(one, str(AGE[one.value]))
    if by == "week":
        return Row(
            one, _("from %(day)s") % {"day": date_format(date.fromisoformat(one.value), "SHORT_DATE_FORMAT")}
        )
    if by == "queue":
        return Row(one, named.queues.of(one.value))
    return Row(one, named.flows.get(one.value, one.value) if by == "flow" else one.value or _("none"))


def prevented(found: Iterable[Preventable], user: AnyUser) -> list[Prevented]:
    """Return the cases that a rule would have prevented, with labels and values that the user sees."""
    return [each for one in found if (each := _prevented(one, user))]


def written(attributes: Iterable[str], values: Mapping[str, Any], flow: FlowInfo) -> str:
    """Return the values that a repair wrote, with labels: attributes that the user sees, known values."""
    known = {each.name: each for each in flow.attributes}
    return ", ".join(_written(known[name], values) for name in attributes if name in known)


def _written(attribute: Attribute, values: Mapping[str, Any]) -> str:
    if attribute.name not in values:
        return attribute.title
    found = values[attribute.name]
    text = _("empty") if found is None else value_label(attribute.type, as_text(found))[:80]
    return _("%(attribute)s becomes %(value)s") % {"attribute": attribute.title, "value": text}


def _prevented(one: Preventable, user: AnyUser) -> Prevented | None:
    flow = flow_by_name(one.newest.flow)
    if flow is None:
        return None
    flow = shown_to(user, flow)
    writes = written(one.repair.values, one.repair.values, flow)
    if not writes:
        return None
    transition = flow.transition_titles.get(one.newest.transition, one.newest.transition)
    rule = None if flow.concealed else one.rule
    return Prevented(one, flow.title, cause(one.newest.cause), transition, writes, rule)
