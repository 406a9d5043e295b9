"""What a list of proposed repairs is asked for by its address: a filter, an order, columns."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from flows import api
from flows.access import AnyUser, visible_flows
from flows.capabilities.approvals.api import Proposal
from flows.queries.counts import Count
from flows.queries.lists.approvals import Listing
from monitor import list_filters
from monitor.list_filters import Asked
from monitor.lists import columns as list_columns
from monitor.lists import page as listing
from monitor.lists.page import Found, Kind
from pages.urlparams import long_number, text

KIND = Kind(
    "approvals",
    "approval.",
    ("show", "sort", "columns"),
    {
        "expiry": _("The first to expire first"),
        "newest": _("The newest first"),
        "oldest": _("The oldest first"),
    },
    {
        "instance": _("Instance"),
        "flow": _("Flow"),
        "operation": _("Operation"),
        "reason": _("Reason"),
        "maker": _("Proposed by"),
        "proposed": _("Proposed"),
        "state": _("State"),
        "waits": _("Waiting for"),
        "until": _("Waits until"),
        "decided": _("Decided"),
    },
    _("Filter approvals"),
    _("A 17, amount>500, approval.maker:ana"),
)
USUAL = ("instance", "flow", "operation", "reason", "maker", "state", "waits", "until")
USUAL_CLOSED = ("instance", "flow", "operation", "reason", "maker", "state", "decided")


@dataclass(frozen=True)
class Wanted:
    """What a list is asked for; `flows` are those that the user sees, None for all."""

    asked: Asked
    chosen: Listing
    flows: Collection[str] | None
    after: int | None


def wanted(request: HttpRequest, mine: list[int]) -> Wanted:
    """Return the request of a list; `mine` are those that the user can approve.

    Call it outside of a read-only transaction.
    """
    show, order = text(request, "show"), text(request, "sort")
    chosen = Listing(show == "closed", order, mine if show == "mine" else None)
    after = long_number(request.GET.get("after"))
    return Wanted(list_filters.asked(request), chosen, visible_flows(request.user), after)


def found(user: AnyUser, given: Wanted, size: int) -> Found[Proposal]:
    """Return a page of the list; the first one without a filter has those that the user decides, too."""
    listed = given.chosen.listed
    page = listing.found(
        user, KIND, given.asked, listed, given.after, size, api.approvals.listed, given.flows
    )
    if given.flows is None or given.after or given.chosen.only is not None or given.asked.text:
        return page
    name, closed = user.get_username(), given.chosen.closed
    decided = api.approvals.list([], closed=closed, person=name, limit=size)
    return replace(page, rows=[*(one for one in decided if one.flow not in given.flows), *page.rows])


def counted(user: AnyUser, query: str, cap: int) -> Callable[[], Count]:
    """Return a counter of the proposals that wait and a filter finds, as listing.counted does."""
    return listing.counted(user, KIND.of, query, Listing().listed, cap)


def columns(request: HttpRequest, given: Wanted) -> list[str]:
    """Return the columns of the list."""
    usual = USUAL_CLOSED if given.chosen.closed else USUAL
    return list_columns.chosen(list_columns.of_address(request), KIND.columns, usual)


def form(
    request: HttpRequest, given: Wanted, found: Found[Proposal], flow: Any, columns: list[str]
) -> dict[str, Any]:
    """Return the context of the tools over the list."""
    chosen = given.chosen
    return listing.form(request, KIND, given.asked, found.error, flow, chosen.sorting, chosen.orders, columns)
