"""Lists of cases, approvals and alerts: chosen by a filter over some flows, sorted, and read by key."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from psycopg import sql

from flows.filters import BadFilter, Filter
from flows.filters.fields import PARTS
from flows.filters.tree import conditions
from flows.queries.base import rows
from flows.queries.counts import Count, count, limit
from flows.queries.definitions import FlowInfo, flow_by_id
from flows.queries.everywhere import MOST_FLOWS, flow_ids

See: TypeAlias = Callable[[FlowInfo], FlowInfo]


@dataclass(frozen=True)
class Source:
    """Where a list has its rows: tables with the alias `i` of the instance, if they have one."""

    rows: str
    number: str
    flow: str
    wid: str = ""


@dataclass(frozen=True)
class Order:
    """What an order compares, none of it null; `down`: the greatest comes first."""

    key: str
    down: bool = False


@dataclass(frozen=True)
class Listed:
    """Which rows of a source are listed, by conditions with parameters, and their order."""

    source: Source
    order: Order
    where: Sequence[str] = ()
    params: Sequence[Any] = ()


@dataclass(frozen=True)
class Selection:
    """A filter over the rows of some flows, with `filters` one for each flow whose values it reads."""

    chosen: Filter
    flows: Sequence[int]
    filters: Sequence[Filter] = ()


def selection(of: str, chosen: Filter, names: Collection[str] | None, see: See) -> Selection:
    """Return the filter over the flows of these names (None: all); `see` returns a flow as it is shown.

    Raises BadFilter. Call it outside of a read-only transaction.
    """
    chosen = chosen.of_list(of)
    ids = flow_ids(names, chosen.only("flow"))
    if not chosen.reads_state:
        return Selection(chosen, ids)
    if len(ids) > MOST_FLOWS:
        raise BadFilter("many_flows", limit=MOST_FLOWS, flows=len(ids))
    return Selection(
        chosen, ids, _of_flows(chosen, [see(flow) for each in ids if (flow := flow_by_id(each))])
    )


def _of_flows(chosen: Filter, flows: Sequence[FlowInfo]) -> list[Filter]:
    for each in conditions(chosen.tree):
        if each.field == "where" and len(flows) > 1:
            raise BadFilter("where_flow", each.position, each.length)
        name = each.field.removeprefix("attr.")
        if each.field not in PARTS and not any(flow.attribute(name) for flow in flows):
            raise BadFilter("unknown_anywhere", each.position, each.length, field=name[:63])
    return [replace(chosen.for_flow(flow, everywhere=True), of=chosen.of) for flow in flows]


_PART = (
    "select {number} as number, ({key}) as k from {rows} {table}"
    " where {flow} and {narrowed} and {behind} and ({clause}) order by k {down} limit %s"
)
_BEHIND = "({key}) {sign} (select {key} from {rows} where {number} = %s)"


def _part(listed: Listed, chosen: Filter, flow: str, after: int | None, size: int) -> tuple[Any, list[Any]]:
    """Return the first rows of a flow behind one, and the parameters."""
    clause, source, order = chosen.where(), listed.source, listed.order
    names = {
        "key": sql.SQL(order.key),
        "sign": sql.SQL("<" if order.down else ">"),
        "rows": sql.SQL(source.rows),
        "number": sql.SQL(source.number),
    }
    statement = sql.SQL(_PART).format(
        **names,
        table=_table(source, chosen),
        flow=sql.SQL(f"{source.flow} = {flow}"),
        narrowed=sql.SQL(" and ".join(listed.where) or "true"),
        behind=sql.SQL("true") if after is None else sql.SQL(_BEHIND).format(**names),
        clause=clause.sql,
        down=_direction(listed),
    )
    behind = [] if after is None else [after]
    return statement, [*listed.params, *behind, *clause.params, size]


def _table(source: Source, chosen: Filter) -> sql.Composable:
    """Return the join of the flow's own table where the filter reads it."""
    if chosen.flow is None:
        return sql.SQL("")
    table = sql.Identifier(chosen.flow.name, "wed_flow")
    return sql.SQL("left join {} f on f.wid = {}").format(table, sql.SQL(source.wid))


def _direction(listed: Listed) -> sql.SQL:
    return sql.SQL("desc" if listed.order.down else "asc")


def _rows(listed: Listed, found: Selection, after: int | None, size: int) -> tuple[Any, list[Any]]:
    """Return a subquery of the first rows of each flow: each part is bounded, so that an index suffices."""
    if not found.chosen.reads_state:
        part, params = _part(listed, found.chosen, "u.id", after, size)
        each = "select l.number, l.k from unnest(%s::integer[]) u (id) cross join lateral ({}) l"
        return sql.SQL(each).format(part), [list(found.flows), *params]
    none = "(select 0::bigint as number, ({}) as k from {} where false)"
    parts: list[sql.Composable] = [
        sql.SQL(none).format(sql.SQL(listed.order.key), sql.SQL(listed.source.rows))
    ]
    params = []
    for chosen in found.filters:
        assert chosen.flow is not None  # noqa: S101 - for_flow has set it
        part, own = _part(listed, chosen, str(int(chosen.flow.id)), after, size)
        parts.append(sql.SQL("({})").format(part))
        params += own
    return sql.SQL(" union all ").join(parts), params


def selected(listed: Listed, found: Selection, after: int | None, size: int) -> list[int]:
    """Return the numbers of up to `size` rows of a list behind one, in its order.

    Raises django.db.OperationalError (57014) if it takes longer than the page's time limit, and
    django.db.DataError if PostgreSQL rejects a value.
    """
    source, params = _rows(listed, found, after, size)
    statement = sql.SQL("select s.number from ({}) s order by s.k {} limit %s")
    found_rows = rows(statement.format(source, _direction(listed)), [*params, size])
    return [each["number"] for each in found_rows]


def matching(listed: Listed, found: Selection, cap: int) -> Count:
    """Return how many rows of a list there are, up to a number."""
    source, params = _rows(listed, found, None, cap + 1)
    statement = sql.SQL("select count(*) as n from (select 1 from ({}) s limit %s) s").format(source)
    return count(rows(statement, [*params, limit(cap)])[0]["n"], cap)
