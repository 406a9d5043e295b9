"""Instances of all flows that a user sees, chosen by a filter."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg import sql

from flows.filters import EMPTY, BadFilter, Filter
from flows.filters.fields import PARTS
from flows.filters.tree import conditions
from flows.labels import translate_label
from flows.queries.base import rows, scalar
from flows.queries.counts import CAP, Count, count, limit
from flows.queries.definitions import flow_by_id
from flows.queries.paging import Cursor, Page, cut

# Flows in which conditions on attributes are looked up; other conditions need no flow's own table.
MOST_FLOWS = 50


@dataclass(frozen=True)
class AnyInstance:
    """One instance of any flow, as a row of the list."""

    wid: int
    flow_name: str
    flow_label: str
    status: str
    reason: str | None
    key: str | None
    started_at: datetime
    changed_at: datetime

    @property
    def flow_title(self) -> str:
        return translate_label(self.flow_label) or self.flow_name


@dataclass(frozen=True)
class Selection:
    """A filter over some flows; `filters` has it once for each flow whose own table or past it reads."""

    chosen: Filter
    flows: Sequence[int]
    filters: Sequence[Filter] = ()


def flow_ids(names: Collection[str] | None, wanted: Collection[str] | None = None) -> list[int]:
    """Return the flows of these names that are wanted (None: all), in the order of their names."""
    found = rows(
        "select f.id from wedsql.flow f where (%(every)s or f.name = any(%(names)s::text[]))"
        " and (%(any)s or f.name = any(%(wanted)s::text[])) order by f.name",
        {
            "every": names is None,
            "names": list(names or ()),
            "any": wanted is None,
            "wanted": list(wanted or ()),
        },
    )
    return [each["id"] for each in found]


def selection(chosen: Filter, names: Collection[str] | None, every: Sequence[int] | None = None) -> Selection:
    """Return the filter over the flows of these names (None: all). Raises BadFilter.

    `every` are the numbers of these flows, for who asks for several filters over them. Call it outside of a
    read-only transaction.
    """
    wanted = chosen.only("flow")
    ids = flow_ids(names, wanted) if every is None or wanted is not None else every
    if not ids:
        return Selection(EMPTY, ids)
    if not chosen.reads_state and chosen.at is None:
        return Selection(chosen, ids)
    if len(ids) > MOST_FLOWS:
        raise BadFilter("many_flows", limit=MOST_FLOWS, flows=len(ids))
    return Selection(chosen, ids, _of_flows(chosen, ids))


def _of_flows(chosen: Filter, ids: Sequence[int]) -> list[Filter]:
    flows = [flow for each in ids if (flow := flow_by_id(each))]
    for each in conditions(chosen.tree):
        if each.field == "where" and len(flows) > 1:
            raise BadFilter("where_flow", each.position, each.length)
        name = each.field.removeprefix("attr.")
        if each.field not in PARTS and not any(flow.attribute(name) for flow in flows):
            raise BadFilter("unknown_anywhere", each.position, each.length, field=name[:63])
    return [chosen.for_flow(flow, everywhere=True) for flow in flows]


def parts(found: Selection, bound: sql.Composable, bounds: list[Any], tail: sql.Composable,
          end: list[Any]) -> tuple[sql.Composable, list[Any]]:  # fmt: skip
    """Return a subquery of the numbers per flow: each is bounded and ordered, so that an index suffices."""
    if not found.filters:
        return _without_state(found, bound, bounds, tail, end)
    parts, params = [], []
    for chosen in found.filters:
        flow = chosen.flow
        assert flow is not None  # noqa: S101 - for_flow has set it
        clauses = chosen.clauses()
        met: list[sql.Composable] = [sql.SQL("({})").format(each.sql) for each in clauses]
        where = sql.SQL(" and ").join(met or [sql.SQL("true")])
        table = sql.Identifier(flow.name, "wed_flow")
        parts.append(
            sql.SQL(
                "(select i.* from wedsql.instance i join {} f on f.wid = i.wid"
                " where i.flow_id = %s and {} and ({}) {})"
            ).format(table, bound, where, tail)
        )
        params += [flow.id, *bounds, *(value for each in clauses for value in each.params), *end]
    return sql.SQL("({}) i").format(sql.SQL(" union all ").join(parts)), params


def _without_state(
    found: Selection, bound: sql.Composable, bounds: list[Any], tail: sql.Composable, end: list[Any]
) -> tuple[sql.Composable, list[Any]]:
    clause = found.chosen.where()
    statement = sql.SQL(
        "unnest(%s::integer[]) c (id) cross join lateral (select i.* from wedsql.instance i"
        " where i.flow_id = c.id and {} and ({}) {}) i"
    ).format(bound, clause.sql, tail)
    return statement, [list(found.flows), *bounds, *clause.params, *end]


def listed(found: Selection, cursor: Cursor, *, oldest_first: bool = False) -> Page[AnyInstance]:
    """Return one page of the instances, newest first or oldest first.

    Raises django.db.OperationalError (57014) if it takes longer than the page's time limit, and
    django.db.DataError if PostgreSQL rejects a value.
    """
    upward = cursor.after is not None or (oldest_first and cursor.before is None)
    bound, bounds = sql.SQL("true"), []
    if cursor.after is not None:
        bound, bounds = sql.SQL("i.wid > %s"), [cursor.after]
    elif cursor.before is not None:
        bound, bounds = sql.SQL("i.wid < %s"), [cursor.before]
    order = sql.SQL("order by i.wid {} limit %s").format(sql.SQL("asc" if upward else "desc"))
    source, params = parts(found, bound, bounds, order, [cursor.size + 1])
    return page_of(source, order, [*params, cursor.size + 1], cursor, oldest_first=oldest_first)


def page_of(source: sql.Composable, order: sql.Composable, params: list[Any], cursor: Cursor,
            *, oldest_first: bool) -> Page[AnyInstance]:  # fmt: skip
    """Return the page of a subquery `i` of instances in this order; the last parameter is its limit."""
    statement = sql.SQL(
        "select i.wid, n.name as flow_name, n.label as flow_label, i.status::text as status, i.reason, i.key,"
        " i.started_at, i.changed_at from {} join wedsql.flow n on n.id = i.flow_id {}"
    ).format(source, order)
    items = [AnyInstance(**each) for each in rows(statement, params)]
    return cut(items, cursor, lambda item: item.wid, oldest_first=oldest_first)


def matching(found: Selection, cap: int | None = CAP) -> Count:
    """Return how many instances there are, capped unless `cap` is None."""
    tail = sql.SQL("order by i.wid limit %s")
    source, params = parts(found, sql.SQL("true"), [], tail, [limit(cap)])
    statement = sql.SQL("select count(*) from (select 1 from {} limit %s) s").format(source)
    return count(scalar(statement, [*params, limit(cap)]), cap)


def newer(found: Selection, wid: int, most: int) -> Count:
    """Return how many instances are newer than `wid`, at most `most`."""
    tail = sql.SQL("order by i.wid limit %s")
    source, params = parts(found, sql.SQL("i.wid > %s"), [wid], tail, [most + 1])
    statement = sql.SQL("select count(*) from (select 1 from {} limit %s) s").format(source)
    return count(scalar(statement, [*params, most + 1]), most)
