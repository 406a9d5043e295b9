"""Reports of cases as pages show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from flows.access import AnyUser, shown_to
from flows.api.case_reports import Preventable, ReportRow
from flows.designer.values import as_text
from flows.queries.definitions import flow_by_name
from monitor.case_rows import Names, cause

TITLES: Mapping[str, str | Promise] = {
    "cause": gettext_lazy("Cause"),
    "age": gettext_lazy("Age"),
    "queue": gettext_lazy("Queue"),
    "reason_code": gettext_lazy("Reason code"),
    "repairer": gettext_lazy("Repaired by"),
    "flow": gettext_lazy("Flow"),
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
    """Cases that a rule would have prevented: their cause, their last step, and what the rule would write."""

    found: Preventable
    flow_title: str
    cause: str
    transition: str
    writes: str


def row(by: str, one: ReportRow, named: Names) -> Row:
    """Return a row with its title; `named` has the flows by which cases are counted."""
    if by == "cause":
        return Row(one, cause(one.value))
    if by == "age":
        return Row(one, str(AGE[one.value]))
    return Row(one, named.flows.get(one.value, one.value) if by == "flow" else one.value or _("none"))


def prevented(found: Iterable[Preventable], user: AnyUser) -> list[Prevented]:
    """Return what a rule would have prevented, in the words of the flows, with values that the user sees."""
    return [each for one in found if (each := _prevented(one, user))]


def _prevented(one: Preventable, user: AnyUser) -> Prevented | None:
    flow = flow_by_name(one.newest.flow)
    if flow is None:
        return None
    flow = shown_to(user, flow)
    titles = {each.name: each.title for each in flow.attributes}
    writes = ", ".join(
        f"{titles[name]} := {'null' if value is None else as_text(value)[:80]}"
        for name, value in one.repair.values.items()
        if name in titles
    )
    if not writes:
        return None
    transition = flow.transition_titles.get(one.newest.transition, one.newest.transition)
    return Prevented(one, flow.title, cause(one.newest.cause), transition, writes)
