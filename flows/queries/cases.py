"""Lists of cases that are chosen by a filter or sorted; without either, the kernel has the same lists."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
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

# What an order compares. The sum keeps the planner from walking all cases that ever were in the order of
# their numbers: open ones are few, and sorted.
_OPEN_ORDERS: dict[str, str] = {
    "urgency": "- c.priority, c.due_at, c.number",
    "due": "c.due_at, c.number",
    "newest": "c.number + 0",
    "oldest": "c.number + 0",
}
_CLOSED_ORDERS: dict[str, str] = {"newest": "c.number", "oldest": "c.number"}
ORDERS = tuple(_OPEN_ORDERS)
_DOWN = ("newest",)
_HELD = "c.owner = %s and coalesce(c.lease_until, c.waits_until) > (select wedsql.now())"
_NARROW: dict[str, str] = {
    "queue": "c.queue = %s", "cause": "c.cause = %s", "owner": _HELD,
    "signature": "c.signature = any (regexp_split_to_array(%s, ','))",
}  # fmt: skip


@dataclass(frozen=True)
class Listing:
    """Which cases are listed, and in which order; `where` has any of queue, cause, signature and owner."""

    closed: bool = False
    order: str = ""
    where: Mapping[str, str] = field(default_factory=dict)

    @property
    def sorting(self) -> str:
        """Return the order that such a list has: the most urgent first, of closed ones the newest."""
        known = orders(closed=self.closed)
        return self.order if self.order in known else known[0]

    @property
    def key(self) -> str:
        return (_CLOSED_ORDERS if self.closed else _OPEN_ORDERS)[self.sorting]


@dataclass(frozen=True)
class Selection:
    """A filter over the cases of some flows, with `filters` one for each flow whose values it reads."""

    chosen: Filter
    flows: Sequence[int]
    filters: Sequence[Filter] = ()


def orders(*, closed: bool) -> tuple[str, ...]:
    """Return the orders of a list of open or of closed cases, its usual one first."""
    return tuple(_CLOSED_ORDERS if closed else _OPEN_ORDERS)


def selection(chosen: Filter, names: Collection[str] | None, see: See) -> Selection:
    """Return the filter over the flows of these names (None: all); `see` returns a flow as it is shown.

    Raises BadFilter. Call it outside of a read-only transaction.
    """
    chosen = chosen.of_cases()
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
    return [replace(chosen.for_flow(flow, everywhere=True), of="cases") for flow in flows]


_PART = (
    "select c.number, ({key}) as k from wedsql.repair_case c join wedsql.instance i on i.wid = c.wid {table}"
    " where {flow} and c.closed_at is {closed} null and {narrowed} and {behind} and ({clause})"
    " order by k {down} limit %s"
)
_BEHIND = "({key}) {sign} (select {key} from wedsql.repair_case c where c.number = %s)"


def _part(listing: Listing, chosen: Filter, flow: str, after: int | None, size: int) -> tuple[Any, list[Any]]:
    """Return the first cases of a flow behind one, and the parameters."""
    clause, down = chosen.where(), listing.sorting in _DOWN
    names = {"key": sql.SQL(listing.key), "sign": sql.SQL("<" if down else ">")}
    narrowed = [_NARROW[name] for name in listing.where]
    statement = sql.SQL(_PART).format(
        **names,
        table=_table(chosen),
        flow=sql.SQL(flow),
        closed=sql.SQL("not" if listing.closed else ""),
        narrowed=sql.SQL(" and ".join(narrowed) or "true"),
        behind=sql.SQL("true") if after is None else sql.SQL(_BEHIND).format(**names),
        clause=clause.sql,
        down=sql.SQL("desc" if down else "asc"),
    )
    behind = [] if after is None else [after]
    return statement, [*listing.where.values(), *behind, *clause.params, size]


def _table(chosen: Filter) -> sql.Composable:
    """Return the join of the flow's own table where the filter reads it."""
    if chosen.flow is None:
        return sql.SQL("")
    return sql.SQL("join {} f on f.wid = c.wid").format(sql.Identifier(chosen.flow.name, "wed_flow"))


def _source(listing: Listing, found: Selection, after: int | None, size: int) -> tuple[Any, list[Any]]:
    """Return a subquery of the first cases of each flow: each part is bounded, so that an index suffices."""
    if not found.chosen.reads_state:
        part, params = _part(listing, found.chosen, "c.flow_id = u.id", after, size)
        each = "select l.number, l.k from unnest(%s::integer[]) u (id) cross join lateral ({}) l"
        return sql.SQL(each).format(part), [list(found.flows), *params]
    parts: list[sql.Composable] = [sql.SQL("(select 0::bigint as number, ({}) as k from wedsql.repair_case c"
                                           " where false)").format(sql.SQL(listing.key))]  # fmt: skip
    params = []
    for chosen in found.filters:
        assert chosen.flow is not None  # noqa: S101 - for_flow has set it
        part, own = _part(listing, chosen, "c.flow_id = %s", after, size)
        parts.append(sql.SQL("({})").format(part))
        params += [chosen.flow.id, *own]
    return sql.SQL(" union all ").join(parts), params


def selected(listing: Listing, found: Selection, after: int | None, size: int) -> list[int]:
    """Return the numbers of up to `size` cases of a list behind one, in its order.

    Raises django.db.OperationalError (57014) if it takes longer than the page's time limit, and
    django.db.DataError if PostgreSQL rejects a value.
    """
    source, params = _source(listing, found, after, size)
    down = sql.SQL("desc" if listing.sorting in _DOWN else "asc")
    statement = sql.SQL("select s.number from ({}) s order by s.k {} limit %s").format(source, down)
    return [each["number"] for each in rows(statement, [*params, size])]


def matching(listing: Listing, found: Selection, cap: int) -> Count:
    """Return how many cases of a list there are, up to a number."""
    source, params = _source(listing, found, None, cap + 1)
    statement = sql.SQL("select count(*) as n from (select 1 from ({}) s limit %s) s").format(source)
    return count(rows(statement, [*params, limit(cap)])[0]["n"], cap)
