"""What lists of cases, jobs, approvals and alerts share: a filter, orders, saved views and columns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

from django.db import DataError, OperationalError
from django.http import HttpRequest
from django.utils.functional import Promise

from flows import api
from flows.access import AnyUser, group_names, shown_to, visible_flows
from flows.capabilities.filters.api import SavedView
from flows.filters import BadFilter, parse
from flows.filters.fields import fields_of
from flows.queries.base import snapshot
from flows.queries.counts import Count
from flows.queries.definitions import FlowInfo, flow_by_name
from flows.queries.lists import selections
from flows.queries.lists.selections import Listed
from monitor import list_filters
from monitor.list_filters import Asked
from monitor.lists import columns as list_columns
from pages.guard import is_timeout

Text = str | Promise
T = TypeVar("T")


@dataclass(frozen=True)
class Kind:
    """A kind of lists: its name and the prefix of its fields, its orders and columns with their titles.

    `kept` are the parameters of its address besides the filter.
    """

    of: str
    prefix: str
    kept: Sequence[str]
    orders: Mapping[str, Text]
    columns: Mapping[str, Text]
    label: Text
    example: Text


@dataclass(frozen=True)
class Found(Generic[T]):
    """The rows of a page of a list; `more` is the last one if there are others behind."""

    rows: Sequence[T] = field(default_factory=list)
    more: int | None = None
    error: BadFilter | None = None
    too_slow: bool = False


def found(  # noqa: PLR0913 - what a list has
    user: AnyUser,
    kind: Kind,
    asked: Asked,
    listed: Listed,
    after: int | None,
    size: int,
    read: Callable[[list[int], Sequence[str] | None], Sequence[T]],
    flows: Collection[str] | None,
) -> Found[T]:
    """Return a page of a list over the flows that are seen (None: all); `read` returns rows by number."""
    if asked.error:
        return Found(error=asked.error)
    try:
        selection = selections.selection(kind.of, asked.chosen, flows, lambda flow: shown_to(user, flow))
        with snapshot():
            numbers = selections.selected(listed, selection, after, size + 1)
            return cut(read(numbers, None if flows is None else sorted(flows)), size, numbers)
    except BadFilter as error:
        return Found(error=error)
    except OperationalError as error:
        if not is_timeout(error):
            raise
        return Found(too_slow=True)
    except DataError as error:
        return Found(error=BadFilter("wrong_value", problem=str(error).partition("\n")[0]))


def cut(rows: Sequence[T], size: int, numbers: Sequence[int]) -> Found[T]:
    """Return a page of up to size + 1 rows with these numbers."""
    return Found(rows[:size], numbers[size - 1]) if len(numbers) > size else Found(rows)


def counted(user: AnyUser, of: str, query: str, listed: Listed, cap: int) -> Callable[[], Count]:
    """Return a counter of the rows that a user sees and a filter finds, up to a number. Raises BadFilter.

    Call it outside of a read-only transaction.
    """
    see = partial(shown_to, user)
    selection = selections.selection(of, parse(query), visible_flows(user), see)
    return partial(selections.matching, listed, selection, cap)


def form(  # noqa: PLR0913 - what a list has
    request: HttpRequest,
    kind: Kind,
    asked: Asked,
    error: BadFilter | None,
    flow: FlowInfo | None,
    order: str,
    orders: Sequence[str],
    columns: Sequence[str],
    of_flow: str = "",
) -> dict[str, Any]:
    """Return the context of the part list_tools.html; `of_flow` names the flow whose views it offers."""
    asked = replace(asked, error=error) if error else asked
    context = list_filters.list_form(request, asked, flow, fields_of(flow, kind.prefix), kind.kept)
    kept = list_filters.kept(request, kind.kept)
    return context | {
        "kind": kind,
        "order": order,
        "orders": [(name, kind.orders[name], _with(asked, kept, sort=name)) for name in orders],
        "views": views(request.user, kind.of, of_flow),
        "of_flow": of_flow,
        "chosen_columns": list_columns.of_address(request),
        "offered_columns": list_columns.offered(columns, kind.columns, flow),
        "without_columns": [(name, each) for name, each in kept if name != "columns"],
        "usual_columns": _with(asked, kept, columns=""),
    }


def _with(asked: Asked, kept: Sequence[tuple[str, str]], **changed: str) -> str:
    """Return the query string of the first page of the list with other parameters."""
    parts = {**dict(kept), **changed}
    return list_filters.query_of(asked.text, [(name, each) for name, each in parts.items() if each])


def only_flow(user: AnyUser, asked: Asked, flows: Collection[str] | None) -> FlowInfo | None:
    """Return the flow to which a list of these flows is narrowed, as the user may see it."""
    only = flows if flows is not None and len(flows) == 1 else None
    named = next(iter(asked.chosen.only("flow") or only or ()), "")
    flow = flow_by_name(named) if named and (flows is None or named in flows) else None
    return shown_to(user, flow) if flow else None


def views(user: AnyUser, of: str, flow: str = "") -> list[tuple[SavedView, str]]:
    """Return the saved views of a kind of lists that a user sees, with the query strings of their lists."""
    seen = api.views.list(user.get_username(), group_names(user), flow, of)
    return [(each, view_query(each)) for each in seen]


def view_query(view: SavedView) -> str:
    """Return the query string of the list of a view."""
    parts = {"q": view.query, "columns": ",".join(view.columns), "sort": view.sorting}
    return urlencode({name: each for name, each in parts.items() if each})
