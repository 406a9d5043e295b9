"""Cases as pages show them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from flows.access import AnyUser
from flows.capabilities.cases.api import Case, CaseEvent, CaseGroup
from flows.definition.option_labels import QueueTitles
from flows.labels import translate_label
from flows.queries.definitions import FlowInfo, texts_of
from monitor.cases.facts import Found, found_in
from monitor.cases.selection import KIND
from monitor.labels import CASE_STATE, SEVERITY
from monitor.lists import columns as list_columns
from monitor.lists.columns import Cells
from pages.labels import REASON_SHORT, SYSTEM_STEP
from pages.texts import Texts

Text = str | Promise

EVENT: Mapping[str, Text] = {
    "opened": _("opened"),
    "changed": _("has another cause"),
    "closed": _("closed"),
    "reopened": _("opened again"),
    "claimed": _("claimed"),
    "taken_over": _("taken over"),
    "released": _("given back"),
    "given": _("given to a colleague"),
    "commented": _("comment"),
    "waits": _("put aside"),
    "late": _("late result"),
    "awaited": _("the state is as awaited"),
    "set": _("changed"),
    "proposed": _("repair proposed"),
    "approved": _("repair approved"),
    "rejected": _("proposed repair rejected"),
    "withdrawn": _("proposed repair withdrawn"),
    "expired": _("proposed repair expired"),
    "applied": _("proposed repair applied"),
    "not_applied": _("proposed repair not applied"),
    "attached": _("file attached"),
    "file_removed": _("file removed"),
    "repaired": _("repaired despite the claim"),
    "policy": _("policy acts"),
    "policy_rejected": _("policy rejected"),
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
    transition: str
    key: str = ""
    queue: str = ""
    values: Mapping[str, tuple[str, str | None]] = field(default_factory=dict)

    @property
    def waits(self) -> Text:
        """Return whom an open case waits for: who has claimed it, else its queue, or approvals."""
        if self.case.closed_at:
            return ""
        if self.case.state in ("proposed", "approved"):
            return _("approvals")
        return self.case.owner if self.case.state in ("claimed", "waiting") else self.queue


@dataclass(frozen=True)
class GroupRow:
    """A group of cases with its words in the language of the reader; `found` is what its newest one shows.

    `repairs`: the user may repair all of it, `retries`: retry the jobs that failed in all of it.
    """

    group: CaseGroup
    flow_title: str
    cause: str
    transition: str
    found: Found
    repairs: bool = False
    retries: bool = False


@dataclass(frozen=True)
class EventRow:
    """An entry in the history of a case."""

    event: CaseEvent
    title: str


@dataclass(frozen=True)
class Names:
    """The titles of flows, and of their transitions by flow and name; which attributes may be repaired."""

    flows: Mapping[str, str]
    transitions: Mapping[tuple[str, str], str]
    repairable: Collection[tuple[str, str]]
    queues: QueueTitles = field(default_factory=lambda: QueueTitles({}))

    def flow(self, name: str) -> str:
        return self.flows.get(name, name)

    def transition(self, flow: str, names: str) -> str:
        """Return the titles of transitions whose names are joined by ", "."""
        return ", ".join(self._transition(flow, one) for one in names.split(", "))

    def _transition(self, flow: str, name: str) -> str:
        return self.transitions.get((flow, name)) or str(SYSTEM_STEP.get(name, name))


_STATES, _SEVERITIES, _CAUSES = Texts(CASE_STATE), Texts(SEVERITY), Texts(REASON_SHORT)


def names(flows: Iterable[str]) -> Names:
    """Return the labels of flows and of their transitions; the name of what has no label."""
    found = texts_of(sorted(set(flows)))
    return Names(
        {one.name: translate_label(one.label) or one.name for one in found},
        {(one.name, name): translate_label(label) for one in found for name, label in one.transitions},
        {(one.name, attribute) for one in found for attribute in one.repairable},
        QueueTitles({one.name: one.queues for one in found}),
    )


def row(case: Case, named: Names, cells: Cells | None = None) -> CaseRow:
    """Return a case for a page; `cells` are what it shows of its instance."""
    shown = cells or Cells()
    return CaseRow(
        case,
        named.flow(case.flow),
        _STATES.get(case.state, case.state),
        _SEVERITIES.get(case.severity, case.severity),
        cause(case.cause),
        named.transition(case.flow, case.transition),
        shown.key,
        named.queues.of(case.queue, case.flow),
        shown.values,
    )


def rows(
    cases: Collection[Case],
    named: Names,
    user: AnyUser,
    columns: Sequence[str],
    known: FlowInfo | None = None,
) -> tuple[list[CaseRow], dict[str, Text]]:
    """Return cases for a page, and the titles of its columns; with what the user may see of the instances.

    known: a flow as the user may see it, which is not read again.
    """
    read = list_columns.read(user, [(one.flow, one.wid) for one in cases], columns, known)
    titles = list_columns.titles(columns, read.flows, KIND.columns)
    return [row(one, named, read.of(one.wid)) for one in cases], titles


def group_rows(
    groups: Sequence[CaseGroup], named: Names, concealed: Collection[str], most: int
) -> list[GroupRow]:
    """Return groups for a page, at most `most`; those with the same texts are one.

    The signature of such a row has those of its groups, separated by commas. Nothing is shown of a flow in
    `concealed`, of which the user may not see all values.
    """
    merged: dict[Hashable, GroupRow] = {}
    for one in _comparable(groups, most):
        row = _group_row(one, named, concealed)
        texts = (one.flow, row.cause, row.transition, row.found)
        merged[texts] = replace(row, group=_together(merged[texts].group, one)) if texts in merged else row
    return sorted(merged.values(), key=lambda row: -row.group.open)[:most]


def _comparable(groups: Sequence[CaseGroup], most: int) -> list[CaseGroup]:
    """Return the first groups, and as many more at most that may have the texts of one of them."""
    first = groups[:most]
    kinds = {(one.flow, one.cause, one.transition) for one in first}
    others = [one for one in groups[most:] if (one.flow, one.cause, one.transition) in kinds]
    return [*first, *others[:most]]


def _together(one: CaseGroup, other: CaseGroup) -> CaseGroup:
    return replace(
        one,
        signature=f"{one.signature},{other.signature}",
        open=one.open + other.open,
        last_day=one.last_day + other.last_day,
        oldest_at=min(one.oldest_at, other.oldest_at),
        newest=max(one.newest, other.newest),
    )


def _group_row(group: CaseGroup, named: Names, concealed: Collection[str]) -> GroupRow:
    repairable = {name for flow, name in named.repairable if flow == group.flow}
    return GroupRow(
        group,
        named.flow(group.flow),
        cause(group.cause),
        named.transition(group.flow, group.transition),
        Found() if group.flow in concealed else found_in(group, repairable),
    )


def event_rows(case: Case) -> list[EventRow]:
    """Return the history of a case, newest first."""
    return [EventRow(one, str(EVENT.get(one.kind, one.kind))) for one in reversed(case.history)]


def cause(code: str) -> str:
    """Return the short words for the cause of an exception."""
    return _CAUSES.get(code, code)
