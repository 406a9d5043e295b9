"""What a list of cases is asked for by its address: a filter, an order, and what it was narrowed to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.db import DataError, OperationalError
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from flows import api
from flows.access import AnyUser, group_names, shown_to, visible_flows
from flows.capabilities.cases.api import Case
from flows.capabilities.filters.api import SavedView
from flows.filters import BadFilter, parse
from flows.filters.fields import fields_of
from flows.queries import cases as queries
from flows.queries.base import snapshot
from flows.queries.cases import Listing
from flows.queries.counts import Count
from flows.queries.definitions import FlowInfo, flow_by_name
from monitor import list_filters
from monitor.list_filters import Asked
from pages.guard import is_timeout
from pages.urlparams import number, text

KEPT = ("show", "sort", "flow", "queue", "cause", "signature")
ORDERS: Mapping[str, str | Promise] = {
    "urgency": _("The most urgent first"),
    "due": _("The next due time first"),
    "newest": _("The newest first"),
    "oldest": _("The oldest first"),
}


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


@dataclass(frozen=True)
class Found:
    """The cases of a page of a list; `more` is the last one if there are others behind."""

    cases: Sequence[Case] = field(default_factory=list)
    more: int | None = None
    error: BadFilter | None = None
    too_slow: bool = False


def wanted(request: HttpRequest, tab: str, where: Mapping[str, str], flows: Any) -> Wanted:
    """Return the request of a list. Call it outside of a read-only transaction."""
    listing = Listing(tab == "closed", text(request, "sort"), where)
    after, of_one_flow = number(request.GET.get("after")), bool(text(request, "flow"))
    return Wanted(list_filters.asked(request), listing, flows, after, of_one_flow)


def found(user: AnyUser, given: Wanted, size: int) -> Found:
    """Return a page of the list."""
    if given.asked.error:
        return Found(error=given.asked.error)
    if given.usual:
        listing = given.listing
        flows = None if given.flows is None else sorted(given.flows)
        # The cases of instances for which the user is responsible, unless the list is of one flow.
        where = {**listing.where, **({} if given.of_one_flow else {"person": user.get_username()})}
        return _cut(
            api.cases.list(flows, where, closed=listing.closed, after=given.after, limit=size + 1),
            size,
        )
    try:
        return _filtered(user, given, size)
    except BadFilter as error:
        return Found(error=error)


def _cut(cases: Sequence[Case], size: int) -> Found:
    more = len(cases) == size + 1
    return Found(cases[:size], cases[size - 1].number) if more else Found(cases)


def _filtered(user: AnyUser, given: Wanted, size: int) -> Found:
    """Return the list by a filter or in another order. Raises BadFilter."""
    selection = queries.selection(given.asked.chosen, given.flows, lambda flow: shown_to(user, flow))
    flows = None if given.flows is None else sorted(given.flows)
    try:
        with snapshot():
            numbers = queries.selected(given.listing, selection, given.after, size + 1)
            return _cut(api.cases.listed(numbers, flows), size)
    except OperationalError as error:
        if not is_timeout(error):
            raise
        return Found(too_slow=True)
    except DataError as error:
        raise BadFilter("wrong_value", problem=str(error).partition("\n")[0]) from error


def counted(user: AnyUser, query: str, cap: int) -> Callable[[], Count]:
    """Return a counter of the open cases that a user sees and a filter finds. Raises BadFilter.

    Call it outside of a read-only transaction.
    """
    selection = queries.selection(parse(query), visible_flows(user), lambda flow: shown_to(user, flow))
    return partial(queries.matching, Listing(), selection, cap)


def form(request: HttpRequest, given: Wanted, found: Found, flow: FlowInfo | None) -> dict[str, Any]:
    """Return the context of the filter's parts on the page of a list of cases."""
    asked = replace(given.asked, error=found.error) if found.error else given.asked
    return list_filters.list_form(request, asked, flow, fields_of(flow, "case."), KEPT) | {
        "too_slow": found.too_slow,
        "order": given.listing.sorting,
        "orders": [(name, ORDERS[name]) for name in queries.orders(closed=given.listing.closed)],
        "views": views(request.user),
    }


def address(request: HttpRequest, given: Wanted) -> str:
    """Return the address of the list with the changed filter as text."""
    return list_filters.without_form(request, given.asked, KEPT)


def only_flow(user: AnyUser, given: Wanted) -> FlowInfo | None:
    """Return the flow to which the list is narrowed, as the user may see it."""
    only = given.flows if given.flows is not None and len(given.flows) == 1 else None
    named = next(iter(given.asked.chosen.only("flow") or only or ()), "")
    flow = flow_by_name(named) if named and (given.flows is None or named in given.flows) else None
    return shown_to(user, flow) if flow else None


def views(user: AnyUser) -> list[tuple[SavedView, str]]:
    """Return the saved views of lists of cases that a user sees, with the query strings of their lists."""
    found = api.views.list(user.get_username(), group_names(user), "", "cases")
    return [(each, view_query(each)) for each in found]


def view_query(view: SavedView) -> str:
    """Return the query string of the list of a view."""
    parts = {"q": view.query, "sort": view.sorting}
    return urlencode({name: given for name, given in parts.items() if given})
