"""Lists of tasks that are chosen by a filter; without one, the kernel has the same lists."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from psycopg import sql

from flows.filters import BadFilter, Filter
from flows.filters.fields import PARTS
from flows.filters.tree import conditions
from flows.queries.base import rows
from flows.queries.counts import Count, count, limit
from flows.queries.definitions import FlowInfo, flow_by_id
from flows.queries.everywhere import MOST_FLOWS

List: TypeAlias = Literal["open", "mine", "aside", "done", "team"]
See: TypeAlias = Callable[[FlowInfo], FlowInfo]

_HIDDEN = "coalesce(t.hidden_until, '-infinity') > (select wedsql.now())"
_HELD = "t.owner = {person} and t.state in ('S', 'L', 'X')"
# What a list is read of, each by its own index in the order of the list: behind a page nothing is read.
_STREAMS: dict[str, str] = {
    "open": "(select distinct unnest({keys}::text[])) e (of)",
    "team": "(select distinct unnest({flows}::integer[])) e (of)",
}
_LISTS: dict[str, str] = {
    "open": "t.state = 'R' and t.audience = e.of and {person}::text <> all (t.excluded)",
    "mine": f"{_HELD} and not {_HIDDEN}",
    "aside": f"{_HELD} and {_HIDDEN}",
    "done": "t.ended_by = {person} and t.ended_at is not null",
    "team": "t.ended_at is null and t.flow_id = e.of",
}
# What an order compares, besides the number of the task.
_ORDERS: dict[str, str] = {
    "arrival": "t.arrived_at",
    "priority": "t.rank",
    "deadline": "t.due_at",
    "size": "t.size",
    "readiest": "(t.app <> all (wedsql.task_applications({person})), t.size)",
    "own": "(coalesce(p.at, t.arrived_at), coalesce(p.number, t.job_id))",
    "aside": "t.hidden_until",
    "done": "t.ended_at",
    "team": "t.job_id",
}
_DOWN = ("done",)


@dataclass(frozen=True)
class Listing:
    """Which tasks are listed: those of a person with these audiences, in an order; `flows` are of a team."""

    list: List
    person: str
    keys: Sequence[str] = ()
    order: str = "arrival"
    flows: Sequence[int] = ()

    @property
    def sorting(self) -> str:
        return self.list if self.list in ("aside", "done", "team") else self.order


@dataclass(frozen=True)
class Selection:
    """A filter over tasks, with `filters` one for each flow whose values it reads."""

    chosen: Filter
    filters: Sequence[Filter] = ()


def selection(chosen: Filter, see: See, team: Sequence[int] | None = None) -> Selection:
    """Return the filter over the flows that have tasks, of a team over these; `see` returns a flow as shown.

    Raises BadFilter. Call it outside of a read-only transaction.
    """
    chosen = chosen.of_tasks()
    if not chosen.reads_state:
        return Selection(chosen)
    wanted = chosen.only("flow")
    every = team_ids(None) if team is None else team
    flows = [flow for each in every if (flow := flow_by_id(each)) and (wanted is None or flow.name in wanted)]
    if len(flows) > MOST_FLOWS:
        raise BadFilter("many_flows", limit=MOST_FLOWS, flows=len(flows))
    return Selection(chosen, _of_flows(chosen, [see(flow) for flow in flows]))


def team_ids(names: Collection[str] | None) -> list[int]:
    """Return the flows of these names (None: all) of which people perform something."""
    found = rows(
        "select f.id from wedsql.flow f where (%(every)s or f.name = any (%(names)s::text[])) and exists ("
        "select from wedsql.trig g where g.flow_id = f.id and g.performer = 'person') order by f.name",
        {"every": names is None, "names": list(names or ())},
    )
    return [each["id"] for each in found]


def _of_flows(chosen: Filter, flows: Sequence[FlowInfo]) -> list[Filter]:
    for each in conditions(chosen.tree):
        if each.field == "where" and len(flows) > 1:
            raise BadFilter("where_flow", each.position, each.length)
        name = each.field.removeprefix("attr.")
        if each.field not in PARTS and not any(flow.attribute(name) for flow in flows):
            raise BadFilter("unknown_anywhere", each.position, each.length, field=name[:63])
    return [replace(chosen.for_flow(flow, everywhere=True), of="tasks") for flow in flows]


# The orders by columns, which have indexes.
_BY_COLUMN = ("arrival", "priority", "deadline", "size", "done", "team")
_SELECT = (
    "select x.job_id, x.k from {stream} cross join lateral (select t.job_id, {order} as k"
    " from wedsql.task t {place} join wedsql.instance i on i.wid = t.wid {table}"
    " where {listed} and {behind} and {narrowed} and ({clause}) {sorted} limit {size}) x"
)
_PLACE = "left join wedsql.task_place p on p.person = {person} and p.job_id = t.job_id"
_LAST = "(select {order}{job} from wedsql.task t {place} where t.job_id = {after})"


def _statement(
    listing: Listing, found: Selection, after: int | None, size: int | None, ordered: bool = True
) -> tuple[sql.Composable, list[Any]]:
    """Return a subquery of the numbers and keys of tasks of a list behind one, with its parameters.

    It has at least the first `size` of them, None: all.
    """
    named: dict[str, sql.Composable] = {
        "person": sql.Literal(listing.person),
        "keys": sql.Literal(list(listing.keys)),
        "flows": sql.Literal(list(listing.flows)),
        "after": sql.Literal(after),
        "size": sql.Literal(size),
        "direction": sql.SQL("desc" if listing.sorting in _DOWN else "asc"),
        "sign": sql.SQL("<" if listing.sorting in _DOWN else ">"),
    }
    named["place"] = sql.SQL(_PLACE if listing.sorting == "own" else "").format(**named)
    named["order"] = sql.SQL(_ORDERS[listing.sorting]).format(**named)
    named["stream"] = sql.SQL(_STREAMS.get(listing.list, "(values (true)) e (of)")).format(**named)
    named["listed"] = sql.SQL(_LISTS[listing.list]).format(**named)
    named["behind"] = sql.SQL("true") if after is None else _behind(listing, named)
    sorting = "order by {order} {direction}, t.job_id {direction}" if ordered else ""
    named["sorted"] = sql.SQL(sorting).format(**named)
    parts: list[sql.Composable] = []
    params: list[Any] = []
    for chosen in found.filters if found.chosen.reads_state else [found.chosen]:
        clause, (table, narrowed) = chosen.where(), _table(chosen)
        select = sql.SQL(_SELECT)
        parts.append(select.format(**named, table=table, narrowed=narrowed, clause=clause.sql))
        params += clause.params
    if not parts:
        return sql.SQL("select 0::bigint as job_id, null::integer as k where false"), []
    return sql.SQL(" union all ").join(parts), params


def _behind(listing: Listing, named: dict[str, sql.Composable]) -> sql.Composable:
    """Return the condition of what comes after a task, for an order by a column so that its index is used."""
    last = sql.SQL(_LAST).format(**named, job=sql.SQL(", t.job_id"))
    found = sql.SQL("({order}, t.job_id) {sign} {last}").format(**named, last=last)
    if listing.sorting not in _BY_COLUMN:
        return found
    of_order = sql.SQL(_LAST).format(**named, job=sql.SQL(""))
    return sql.SQL("{order} {sign}= {of_order} and {found}").format(**named, of_order=of_order, found=found)


def _table(chosen: Filter) -> tuple[sql.Composable, sql.Composable]:
    """Return the join of the flow's own table, and the condition that bounds the list to it."""
    if chosen.flow is None:
        return sql.SQL(""), sql.SQL("true")
    table = sql.Identifier(chosen.flow.name, "wed_flow")
    join = sql.SQL("join {} f on f.wid = t.wid").format(table)
    return join, sql.SQL("t.flow_id = {}").format(sql.Literal(chosen.flow.id))


def selected(listing: Listing, found: Selection, after: int | None, size: int) -> list[int]:
    """Return the numbers of up to `size` tasks of a list behind one, in its order.

    Raises django.db.OperationalError (57014) if it takes longer than the page's time limit, and
    django.db.DataError if PostgreSQL rejects a value.
    """
    source, params = _statement(listing, found, after, size)
    down = sql.SQL("desc" if listing.sorting in _DOWN else "asc")
    statement = sql.SQL("select s.job_id from ({source}) s order by s.k {down}, s.job_id {down} limit %s")
    return [each["job_id"] for each in rows(statement.format(source=source, down=down), [*params, size])]


def matching(listing: Listing, found: Selection, cap: int) -> Count:
    """Return how many tasks of a list there are, up to a number."""
    source, params = _statement(listing, found, None, limit(cap), ordered=False)
    statement = sql.SQL("select count(*) as n from (select 1 from ({}) s limit %s) s").format(source)
    return count(rows(statement, [*params, limit(cap)])[0]["n"], cap)
