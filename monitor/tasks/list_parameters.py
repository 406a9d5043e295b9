"""What a list of tasks is asked for by its address, and what it has: by filter, order and columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.db import DataError, OperationalError
from django.http import HttpRequest

from flows import api
from flows.access import AnyUser, shown_to, task_keys
from flows.capabilities.tasks.api import ORDERS as BY
from flows.capabilities.tasks.api import Task
from flows.filters import BadFilter, Condition, Filter, parse
from flows.filters.fields import task_fields
from flows.queries import tasks as queries
from flows.queries.base import snapshot
from flows.queries.counts import Count
from flows.queries.definitions import FlowInfo, flow_by_name
from flows.queries.tasks import Listing
from monitor import list_filters
from monitor.flow_names import named_flow
from monitor.list_filters import Asked
from monitor.lists import columns as list_columns
from monitor.pills import pills
from monitor.tasks import columns as cols
from pages.guard import is_timeout
from pages.labels import OPERATOR
from pages.urlparams import long_number, text

PAGE_SIZE = 50
KEPT = ("show", "order", "flow", "columns")


@dataclass(frozen=True)
class Wanted:
    """What a list is asked for by its address, else by what the person has chosen before."""

    tab: str
    order: Any
    columns: Sequence[str]
    asked: Asked
    flow: str
    after: int | None


@dataclass(frozen=True)
class Found:
    """The tasks of a page of a list; `more` is the last one if there are others behind."""

    tasks: Sequence[Task] = ()
    more: int | None = None
    error: BadFilter | None = None
    too_slow: bool = False


def wanted(request: HttpRequest, tab: str) -> Wanted:
    """Return the request of a list. Call it outside of a read-only transaction."""
    kept, order = api.tasks.list(request.user.get_username()), text(request, "order")
    named = list_columns.of_address(request) if "columns" in request.GET else kept.columns
    return Wanted(
        tab,
        order if order in BY else kept.sorting,
        cols.chosen(tab, named or None),
        list_filters.asked(request),
        named_flow(request, of_tasks=True)[:80],
        long_number(request.GET.get("after")),
    )


def found(user: AnyUser, given: Wanted, team: Sequence[int] = (), size: int = PAGE_SIZE) -> Found:
    """Return a page of the list; `team` are the flows of a team."""
    if given.asked.error:
        return Found(error=given.asked.error)
    narrow = Condition("flow", "=", (given.flow,)) if given.flow else None
    if given.asked.chosen or given.tab == "team":
        chosen = given.asked.chosen.having(narrow)
        try:
            return _filtered(user, given, chosen, team, size)
        except BadFilter as error:
            return Found(error=error)
    return _cut(_whole(user, given, size), size)


def _whole(user: AnyUser, given: Wanted, size: int) -> Sequence[Task]:
    """Return the list without a filter, as the kernel has it."""
    person = user.get_username()
    if given.tab == "mine":
        mine = api.tasks.own(person, order=given.order)
        return [one for one in mine if given.flow in ("", one.flow)]
    if given.tab == "aside":
        return [one for one in api.tasks.own(person, aside=True) if given.flow in ("", one.flow)]
    if given.tab == "done":
        return api.tasks.done(person, given.after, size + 1)
    flow = given.flow or None
    return api.tasks.open(person, task_keys(user), given.order, given.after, size + 1, flow)


def _cut(tasks: Sequence[Task], size: int) -> Found:
    more = len(tasks) == size + 1
    return Found(tasks[:size], tasks[size - 1].job_id) if more else Found(tasks)


def _filtered(user: AnyUser, given: Wanted, chosen: Filter, team: Sequence[int], size: int) -> Found:
    """Return the list by a filter. Raises BadFilter."""
    selection = queries.selection(chosen, lambda flow: shown_to(user, flow), team or None)
    listing = listing_of(user, given.tab, given.order, team)
    try:
        with snapshot():
            ids = queries.selected(listing, selection, given.after, size + 1)
            return _cut(api.tasks.listed(ids), size)
    except OperationalError as error:
        if not is_timeout(error):
            raise
        return Found(too_slow=True)
    except DataError as error:
        raise BadFilter("wrong_value", problem=str(error).partition("\n")[0]) from error


def listing_of(user: AnyUser, tab: Any, order: str, team: Sequence[int] = ()) -> Listing:
    """Return a list of a user for a filter."""
    person = user.get_username()
    keys = [*task_keys(user), *api.persons.keys(person)] if tab == "open" else []
    return Listing(tab, person, keys, order, team)


def open_ids(
    user: AnyUser, order: Any, flow: str, query: str, size: int, after: int | None = None
) -> list[int]:
    """Return open tasks of a user by an order and a filter, after one; all where the filter has an error."""
    try:
        asked = Asked(query, parse(query))
    except BadFilter:
        asked = Asked("", Filter())
    given = Wanted("open", order, (), asked, flow, after)
    return [one.job_id for one in found(user, given, size=size).tasks]


def counted(user: AnyUser, query: str, cap: int) -> Callable[[], Count]:
    """Return a counter of the open tasks of a user that meet a filter, up to a number. Raises BadFilter.

    Call it outside of a read-only transaction.
    """
    selection = queries.selection(parse(query), lambda flow: shown_to(user, flow))
    return partial(queries.matching, listing_of(user, "open", "arrival"), selection, cap)


def form(request: HttpRequest, given: Wanted, error: BadFilter | None) -> dict[str, Any]:
    """Return the context of the filter's parts on the page of a list of tasks."""
    asked = replace(given.asked, error=error) if error else given.asked
    flow = _only_flow(request.user, given)
    kept = [(name, request.GET[name]) for name in KEPT if name in request.GET]

    def address(chosen: str) -> str:
        return "?" + urlencode([*([("q", chosen)] if chosen else []), *kept])

    return {
        "asked": asked,
        "operators": OPERATOR.items(),
        "fields": list_filters.choices(flow, task_fields(flow)),
        "values_address": list_filters.values_address(flow),
        "pills": pills(asked.chosen, flow, address),
        "kept": kept,
        "cleared": urlencode(kept),
        "back": request.GET.urlencode(),
        "offered_columns": list_columns.offered(given.columns, cols.OFFERED, flow),
    }


def _only_flow(user: AnyUser, given: Wanted) -> FlowInfo | None:
    """Return the flow to which the list is narrowed, as the user may see it."""
    named = given.flow or next(iter(given.asked.chosen.only("flow") or ()), "")
    flow = flow_by_name(named) if named else None
    return shown_to(user, flow) if flow and flow.id in queries.team_ids([named]) else None
