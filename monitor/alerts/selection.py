"""What a list of alerts is asked for by its address: a filter, an order, columns."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from flows import api
from flows.access import AnyUser, visible_flows
from flows.capabilities.alerts.api import SavedAlertRule
from flows.queries.counts import Count
from flows.queries.lists.alerts import ORDERS, Listing
from monitor import list_filters
from monitor.list_filters import Asked
from monitor.lists import columns as list_columns
from monitor.lists import page as listing
from monitor.lists.page import Found, Kind
from pages.urlparams import long_number, text

KIND = Kind(
    "alerts",
    "alert.",
    ("sort", "columns"),
    {
        "state": _("Active ones first"),
        "name": _("By name"),
        "flow": _("By flow"),
        "changed": _("The last changed first"),
    },
    {
        "state": _("State"),
        "flow": _("Flow"),
        "condition": _("Condition"),
        "value": _("Value"),
        "limit": _("Limit"),
        "waits": _("Waiting for"),
        "started": _("Started"),
        "receivers": _("Receivers"),
        "author": _("Changed by"),
        "changed": _("Changed"),
    },
    _("Filter alerts"),
    _("card, alert.state:active, flow:orders"),
)
USUAL = ("state", "flow", "condition", "value", "limit", "waits")
NUMBERS = frozenset({"value", "limit"})


@dataclass(frozen=True)
class Wanted:
    """What a list is asked for; `flows` are those that the user sees, None for all."""

    asked: Asked
    chosen: Listing
    flows: Collection[str] | None
    after: int | None


def wanted(request: HttpRequest) -> Wanted:
    """Return the request of the list. Call it outside of a read-only transaction."""
    after = long_number(request.GET.get("after"))
    seen = visible_flows(request.user)
    return Wanted(list_filters.asked(request), Listing(text(request, "sort")), seen, after)


def found(user: AnyUser, given: Wanted, size: int) -> Found[SavedAlertRule]:
    """Return a page of the list."""
    listed = given.chosen.listed
    return listing.found(user, KIND, given.asked, listed, given.after, size, api.alerts.listed, given.flows)


def counted(user: AnyUser, query: str, cap: int) -> Callable[[], Count]:
    """Return a counter of the alerts that a filter finds, as listing.counted does."""
    return listing.counted(user, KIND.of, query, Listing().listed, cap)


def columns(request: HttpRequest) -> list[str]:
    """Return the columns of the list, which has no attributes of instances."""
    wanted = [name for name in list_columns.of_address(request) if name in KIND.columns]
    return list_columns.chosen(wanted, KIND.columns, USUAL)


def form(
    request: HttpRequest, given: Wanted, found: Found[SavedAlertRule], columns: list[str]
) -> dict[str, object]:
    """Return the context of the tools over the list."""
    sorting = given.chosen.sorting
    return listing.form(request, KIND, given.asked, found.error, None, sorting, ORDERS, columns)
