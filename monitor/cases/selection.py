"""What a list of cases is asked for by its address: a filter, an order, and what it was narrowed to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from flows import api
from flows.access import AnyUser
from flows.capabilities.cases.api import Case
from flows.queries import cases as queries
from flows.queries.cases import Listing
from flows.queries.counts import Count
from flows.queries.definitions import FlowInfo
from monitor import list_filters
from monitor.list_filters import Asked
from monitor.lists import columns as list_columns
from monitor.lists import page as listing
from monitor.lists.page import Found, Kind
from pages.urlparams import number, text

KIND = Kind(
    "cases",
    "case.",
    ("show", "sort", "flow", "queue", "cause", "signature", "columns"),
    {
        "urgency": _("The most urgent first"),
        "due": _("The next due time first"),
        "newest": _("The newest first"),
        "oldest": _("The oldest first"),
    },
    {
        "instance": _("Instance"),
        "cause": _("Cause"),
        "flow": _("Flow"),
        "state": _("State"),
        "waits": _("Waiting for"),
        "queue": _("Queue"),
        "severity": _("Severity"),
        "priority": _("Priority"),
        "due": _("Due"),
        "opened": _("Opened"),
        "closed": _("Closed at"),
    },
    _("Filter cases"),
    _("A 17, amount>500, case.due:today"),
)
USUAL = ("cause", "flow", "state", "waits", "severity", "due", "opened")
USUAL_CLOSED = ("cause", "flow", "state", "queue", "severity", "closed", "opened")


@dataclass(frozen=True)
class Wanted:
    """What a list is asked for; `flows` are those whose cases the user sees, None for all."""

    asked: Asked
    listing: Listing
    flows: Collection[str] | None
    after: int | None = None
    of_one_flow: bool = False

    @property
    def usual(self) -> bool:
        """Return whether the kernel has the list itself: without a filter, in its usual order."""
        usual = queries.orders(closed=self.listing.closed)[0]
        return not self.asked.chosen and self.listing.sorting == usual


def wanted(request: HttpRequest, tab: str, where: Mapping[str, str], flows: Any) -> Wanted:
    """Return the request of a list. Call it outside of a read-only transaction."""
    asked, after = list_filters.asked(request), number(request.GET.get("after"))
    chosen = Listing(tab == "closed", text(request, "sort"), where)
    return Wanted(asked, chosen, flows, after, bool(text(request, "flow")))


def found(user: AnyUser, given: Wanted, size: int) -> Found[Case]:
    """Return a page of the list."""
    if not given.usual or given.asked.error:
        listed = given.listing.listed
        return listing.found(
            user, KIND, given.asked, listed, given.after, size, api.cases.listed, given.flows
        )
    flows = None if given.flows is None else sorted(given.flows)
    # The cases of instances for which the user is responsible, unless the list is of one flow.
    where = {**given.listing.where, **({} if given.of_one_flow else {"person": user.get_username()})}
    cases = api.cases.list(flows, where, closed=given.listing.closed, after=given.after, limit=size + 1)
    return listing.cut(cases, size, [one.number for one in cases])


def counted(user: AnyUser, query: str, cap: int) -> Callable[[], Count]:
    """Return a counter of the open cases that a user sees and a filter finds, as listing.counted does."""
    return listing.counted(user, KIND.of, query, Listing().listed, cap)


def columns(request: HttpRequest, given: Wanted, *, many_flows: bool) -> list[str]:
    """Return the columns of the list; by itself it has that of the flow only if there are several."""
    every = USUAL_CLOSED if given.listing.closed else USUAL
    usual = [name for name in every if many_flows or name != "flow"]
    return list_columns.chosen(list_columns.of_address(request), KIND.columns, usual)


def form(
    request: HttpRequest, given: Wanted, found: Found[Case], flow: FlowInfo | None, columns: Sequence[str]
) -> dict[str, Any]:
    """Return the context of the tools over the list."""
    orders = queries.orders(closed=given.listing.closed)
    sorting = given.listing.sorting
    return listing.form(request, KIND, given.asked, found.error, flow, sorting, orders, columns)


def address(request: HttpRequest, given: Wanted) -> str:
    """Return the address of the list with the changed filter as text."""
    return list_filters.without_form(request, given.asked, KIND.kept)
