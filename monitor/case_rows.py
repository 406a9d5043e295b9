"""Cases as pages show them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from flows.api.cases import Case, CaseEvent, CaseGroup
from flows.labels import translate_label
from flows.models import Flow
from pages.labels import REASON_SHORT

Text = str | Promise

STATE: Mapping[str, Text] = {
    "new": pgettext_lazy("case", "new"),
    "claimed": pgettext_lazy("case", "claimed"),
    "waiting": pgettext_lazy("case", "waiting"),
    "reopened": pgettext_lazy("case", "reopened"),
    "applied": pgettext_lazy("case", "repaired"),
    "accepted": pgettext_lazy("case", "accepted"),
    "closed": pgettext_lazy("case", "closed"),
}
SEVERITY: Mapping[str, Text] = {
    "low": pgettext_lazy("severity", "low"),
    "normal": pgettext_lazy("severity", "normal"),
    "high": pgettext_lazy("severity", "high"),
    "critical": pgettext_lazy("severity", "critical"),
}
EVENT: Mapping[str, Text] = {
    "opened": _("opened"),
    "changed": _("has another cause"),
    "closed": _("closed"),
    "reopened": _("opened again"),
    "claimed": _("claimed"),
    "taken_over": _("taken over"),
    "released": _("given back"),
    "commented": _("comment"),
    "waits": _("put aside"),
    "late": _("late result"),
    "set": _("changed"),
}


@dataclass(frozen=True)
class Tab:
    """Cases that are listed together; `where` makes the selection for the name of a user."""

    title: Text
    where: Callable[[str], dict[str, str]]


TABS: Mapping[str, Tab] = {
    "open": Tab(_("Open"), lambda _user: {}),
    "mine": Tab(_("Mine"), lambda user: {"owner": user}),
    "closed": Tab(_("Closed"), lambda _user: {}),
}


@dataclass(frozen=True)
class CaseRow:
    """A case with its words in the language of the reader."""

    case: Case
    flow_title: str
    state: str
    severity: str
    cause: str


@dataclass(frozen=True)
class GroupRow:
    """A group of cases with its words in the language of the reader."""

    group: CaseGroup
    flow_title: str
    cause: str


@dataclass(frozen=True)
class EventRow:
    """An entry in the history of a case."""

    event: CaseEvent
    title: str


def titles(flows: Iterable[str]) -> dict[str, str]:
    """Return the labels of flows by name; the name of one without a label."""
    found = Flow.objects.filter(name__in=set(flows)).values_list("name", "label")
    return {name: translate_label(label) or name for name, label in found}


def row(case: Case, named: Mapping[str, str]) -> CaseRow:
    """Return a case for a page; `named` are the titles of flows."""
    return CaseRow(
        case,
        named.get(case.flow, case.flow),
        str(STATE.get(case.state, case.state)),
        str(SEVERITY.get(case.severity, case.severity)),
        cause(case.cause),
    )


def group_row(group: CaseGroup, named: Mapping[str, str]) -> GroupRow:
    """Return a group for a page; `named` are the titles of flows."""
    return GroupRow(group, named.get(group.flow, group.flow), cause(group.cause))


def event_rows(case: Case) -> list[EventRow]:
    """Return the history of a case, newest first."""
    return [EventRow(one, str(EVENT.get(one.kind, one.kind))) for one in reversed(case.history)]


def cause(code: str) -> str:
    """Return the short words for the cause of an exception."""
    return str(REASON_SHORT.get(code, code))
