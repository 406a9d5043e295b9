"""What an operator may do to many instances: titles, effects, and to how many of them it applies."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import get_args
from urllib.parse import urlencode

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from flows.access import AnyUser, may, right_for
from flows.capabilities.bulk.api import Bulk, BulkPreview, ManyRepair
from flows.capabilities.bulk.queries import Applicable, Chosen, applicable
from flows.filters.fields import STATUSES
from monitor.operation_words import WORDS, Text


@dataclass(frozen=True)
class ManyOperation:
    """One operation by its name, with the words of pages for it, and to which instances it applies."""

    name: str

    @property
    def title(self) -> Text:
        return WORDS[self.name].many_title or WORDS[self.name].title

    @property
    def effect(self) -> Text:
        return WORDS[self.name].of_many

    @property
    def to(self) -> Applicable:
        return applicable(self.name)

    def applies(self, found: Chosen) -> int:
        """Return to how many instances it applies."""
        return self.to.count(found)

    def narrowed(self, query: str) -> str:
        """Return the filter of those of its instances."""
        only = {"pending": " has:pending", "free": " has:pending", "assignable": " has:pending",
                "parked": " is:parked", "unheld": " -is:leased", "undoable": " -is:leased"}  # fmt: skip
        return narrowed(query, self.to.statuses) + only.get(self.to.needs, "")


# Repairs have a page of their own: each is at the step at which it was confirmed.
REPAIRS: dict[str, ManyOperation] = {name: ManyOperation(name) for name in get_args(ManyRepair)}
MANY: dict[str, ManyOperation] = {
    name: ManyOperation(name) for name, one in WORDS.items() if one.of_many and name not in REPAIRS
}
ALL = MANY | REPAIRS
STATE: dict[str, Text] = {
    "proposed": pgettext_lazy("proposal", "waits for approval"),
    "running": _("in progress"),
    "paused": _("paused"),
    "withdrawn": _("withdrawn"),
    "finished": _("finished"),
}
RESULT: dict[str, Text] = {
    "": _("All"),
    "done": _("Done"),
    "refused": _("Refused"),
    "gone": _("Removed meanwhile"),
    "left": _("Left"),
}
RESULT_OF_ONE: dict[str, Text] = {
    "done": pgettext_lazy("one instance", "Done"),
    "refused": pgettext_lazy("one instance", "Refused"),
    "gone": pgettext_lazy("one instance", "Removed meanwhile"),
    "left": pgettext_lazy("one instance", "Left"),
}
_WORDS = {code: word for word, code in STATUSES.items()}


@dataclass(frozen=True)
class Choice:
    """An operation that a page offers: to how many it applies, and a filter of only those if it is not all.

    `allowed` says whether the user has the right for each flow.
    """

    name: str
    operation: ManyOperation
    applies: int
    allowed: bool
    only: str = ""


def choices(user: AnyUser, query: str, found: Chosen) -> list[Choice]:
    """Return each operation as the page of these instances offers it.

    Those that the user may not do say so; a clerk, who operates none of the flows, gets only the others.
    """
    every = [_choice(user, name, query, found) for name in MANY]
    operates = any(may_all(user, "suspend", [name]) for name in found.flows)
    return every if operates else [one for one in every if one.allowed]


def retry_address(user: AnyUser, flow: str, given: Mapping[str, str], found: Chosen) -> str:
    """Return the query string of the page that retries the failed jobs of these instances.

    Returns "" where none of them has any, where that page does not know them by `given`, a filter or a group
    of cases, or where the user may not do it.
    """
    known = {name: text for name, text in given.items() if name in ("q", "cause", "signature", "queue")}
    if not known or not may(user, right_for("retry"), flow) or not MANY["retry"].to.among(found):
        return ""
    return urlencode({"flow": flow, **known, "operation": "retry"})


def _choice(user: AnyUser, name: str, query: str, found: Chosen) -> Choice:
    each = MANY[name]
    applies, only = each.applies(found), each.narrowed(query)
    some = 0 < applies < len(found.wids)
    return Choice(name, each, applies, may_all(user, name, found.flows), only if some else "")


@dataclass(frozen=True)
class RepairLink:
    """A repair of those of the instances for which it is not certain to be refused; how many they are."""

    operation: ManyOperation
    applies: int
    address: str


def repair_links(user: AnyUser, query: str, found: Chosen) -> list[RepairLink]:
    """Return the repairs that the user may do with instances of one flow; none for those of several."""
    if len(found.flows) != 1:
        return []
    (flow,) = found.flows
    return [
        RepairLink(each, each.applies(found), repair_address(flow, name, each, query, found))
        for name, each in REPAIRS.items()
        if may(user, right_for(name), flow) and each.applies(found)
    ]


def repair_address(flow: str, name: str, each: ManyOperation, query: str, found: Chosen) -> str:
    """Return the query string of the page that repairs those of the instances to which it applies."""
    every = query and each.applies(found) == len(found.wids)
    chosen = query if every else each.narrowed(query)
    return urlencode({"flow": flow, "operation": name, "q": chosen})


def narrowed(query: str, statuses: str) -> str:
    """Return the filter of those of its instances that have one of these statuses."""
    words = " or ".join(f"status:{_WORDS[code]}" for code in statuses)
    return f"({query}) ({words})" if query else f"({words})"


@dataclass(frozen=True)
class Difference:
    """Instances that a filter selects in addition to those that were confirmed, and those that it lost."""

    entered: list[int]
    left: list[int]


def difference(confirmed: Collection[int], found: Chosen) -> Difference:
    """Compare the instances that a person confirmed with those that the filter selects now."""
    now, before = set(found.wids), set(confirmed)
    return Difference(sorted(now - before), sorted(before - now))


def may_all(user: AnyUser, operation: str, flows: list[str]) -> bool:
    """Return whether the user may perform the operation on instances of all these flows."""
    return all(may(user, right_for(operation), name) for name in flows)


def again(user: AnyUser, found: Bulk, result: str) -> str:
    """Return the query string of a new repair of the instances with this result; "" where there is none."""
    left = {"refused": found.refused, "left": found.left if found.finished_at else 0}.get(result, 0)
    operation = found.operation if found.operation in REPAIRS else "patch"
    if not left or len(found.flows) != 1 or not may(user, right_for(operation), found.flows[0]):
        return ""
    given = {"flow": found.flows[0], "bulk": found.id, "result": result, "operation": operation}
    return urlencode(given | ({"transition": found.transition} if found.transition else {}))


@dataclass(frozen=True)
class PreviewRow:
    """An instance on the page of a repair of many: the status that it would get, what fires, and why not.

    `key` is its business key.
    """

    wid: int
    status: str = ""
    fires: str = ""
    refusal: str = ""
    key: str = ""


def preview_row(found: BulkPreview, titles: Mapping[str, str]) -> PreviewRow:
    """Return the row for the effect on an instance; `titles` are those of transitions."""
    if found.refusal is not None or found.preview is None:
        return PreviewRow(found.wid, refusal=str(found.refusal))
    fires = ", ".join(titles.get(each.transition, each.transition) for each in found.preview.fires)
    return PreviewRow(found.wid, found.preview.status_after, fires)
