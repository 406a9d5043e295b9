"""The instances of a flow as they were at a moment of the history: the filtered list, and counts by status.

The functions of the kernel (flows/capabilities/past/sql) say what an instance was then.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from psycopg import sql

from flows.filters import Filter
from flows.filters.fields import GROUPS, STATUSES
from flows.queries import counts as counting
from flows.queries import everywhere
from flows.queries.base import rows, scalar
from flows.queries.counts import CAP, LIVING, Count, count, limit
from flows.queries.definitions import Attribute
from flows.queries.everywhere import Selection
from flows.queries.instances import CELL_CHARS, InstanceRow, columns, flow_of, instance_row
from flows.queries.overview import FlowSummary, page_of_flows
from flows.queries.paging import Cursor, Page, cut

# On the overview: the states of those that were living are looked up one by one.
FEW = 1_000

# What an instance was, under the names of wedsql.instance, which the clauses of filters read. Its reason is
# not in the history; an instance that had ended has ended by its last step.
_THEN = """
select n.wid, n.flow_id, s.status, s.seq, null::text as reason, n.version, n.started_at, s.at as changed_at,
       case when s.status in ('F', 'C', 'A') then s.at end as finished_at, n.actor, n.key, n.parent_wid,
       s.state
from {source} cross join lateral wedsql.last_step(
  n.wid, wedsql.search_from(n.started_at, n.changed_at, {at}), {at}) s
where n.flow_id = {flow} and n.wid < {below} and n.started_at <= {at} and {bound}
"""
_ALL = "wedsql.instance n"
# Without those that had ended, whose history is not read. Ordered first, so that a page reads that of its
# own instances only.
_LIVING = (
    "(select * from wedsql.living_until({flow}, {at}, {below}) i where {bound} order by i.wid {order}) n"
)


def listed(
    chosen: Filter, cursor: Cursor, shown: Sequence[Attribute] | None = None, *, oldest_first: bool = False
) -> Page[InstanceRow]:
    """Return one page of the instances as they were at `chosen.at`, newest first or oldest first.

    Raises django.db.OperationalError (57014) if it takes longer than the page's time limit, and
    django.db.DataError if PostgreSQL rejects a value.
    """
    flow = flow_of(chosen)
    shown = flow.attributes if shown is None else shown
    upward = _upward(cursor, oldest_first)
    statement, params = _statement(chosen, columns(flow, shown), cursor, upward=upward)
    cells = [CELL_CHARS + 1] * len(shown)
    found = [instance_row(r) for r in rows(statement, [*cells, *params, cursor.size + 1])]
    return cut(found, cursor, lambda item: item.wid, oldest_first=oldest_first)


def matching(chosen: Filter, cap: int | None = CAP) -> Count:
    """Return how many instances met the filter at `chosen.at`, capped unless `cap` is None."""
    inner, params = _statement(chosen, sql.SQL("1"), Cursor(), upward=False)
    statement = sql.SQL("select count(*) from ({}) as sample").format(inner)
    return count(scalar(statement, [*params, limit(cap)]), cap)


def listed_anywhere(
    found: Selection, cursor: Cursor, *, oldest_first: bool = False
) -> Page[everywhere.AnyInstance]:
    """Return one page of the instances of several flows as they were. Raises as `listed`."""
    upward = _upward(cursor, oldest_first)
    if not found.filters:
        return Page([], None, None)
    source, params = _together(found, sql.SQL("i.*"), cursor, cursor.size + 1, upward=upward)
    order = sql.SQL("order by i.wid {} limit %s").format(sql.SQL("asc" if upward else "desc"))
    return everywhere.page_of(source, order, [*params, cursor.size + 1], cursor, oldest_first=oldest_first)


def matching_anywhere(found: Selection, cap: int | None = CAP) -> Count:
    """Return how many instances of several flows met the filter then, capped unless `cap` is None."""
    if not found.filters:
        return Count(0, False)
    source, params = _together(found, sql.SQL("i.wid"), Cursor(), limit(cap), upward=False)
    statement = sql.SQL("select count(*) from (select 1 from {} limit %s) s").format(source)
    return count(scalar(statement, [*params, limit(cap)]), cap)


def _together(
    found: Selection, what: sql.Composable, cursor: Cursor, most: int | None, *, upward: bool
) -> tuple[sql.Composable, list[Any]]:
    """Return a subquery `i` of the first instances of each flow, and its parameters."""
    parts = [_statement(each, what, cursor, upward=upward) for each in found.filters]
    params = [value for _part, values in parts for value in (*values, most)]
    united = sql.SQL(" union all ").join(sql.SQL("({})").format(part) for part, _values in parts)
    return sql.SQL("({}) i").format(united), params


def _upward(cursor: Cursor, oldest_first: bool) -> bool:
    return cursor.after is not None or (oldest_first and cursor.before is None)


def _statement(
    chosen: Filter, what: sql.Composable, cursor: Cursor, *, upward: bool
) -> tuple[sql.Composable, list[Any]]:
    """Return the statement that reads the filtered instances, and its parameters without the limit."""
    flow, clauses = flow_of(chosen), chosen.clauses()
    below = scalar("select wedsql.wids_until(%s, %s)", [flow.id, chosen.at])
    facts: dict[str, sql.Composable] = {
        "flow": sql.Literal(flow.id),
        "below": sql.Literal(below),
        "at": sql.SQL("{}::timestamptz").format(sql.Literal(chosen.at)),
        "order": sql.SQL("asc" if upward else "desc"),
    }
    bound: sql.Composable = sql.SQL("true")
    if cursor.after is not None:
        bound = sql.SQL("wid > {}").format(sql.Literal(cursor.after))
    elif cursor.before is not None:
        bound = sql.SQL("wid < {}").format(sql.Literal(cursor.before))
    source = sql.SQL(_LIVING if _only_living(chosen) else _ALL).format(**facts, bound=bound)
    met: list[sql.Composable] = [sql.SQL("({})").format(each.sql) for each in clauses]
    statement = sql.SQL(
        "select {what} from ({then}) i cross join lateral wedsql.past_row(null::{table}, i.wid, i.state) f"
        " where {met} order by i.wid {order} limit %s"
    ).format(
        what=what,
        then=sql.SQL(_THEN).format(**facts, source=source, bound=bound),
        table=sql.Identifier(flow.name, "wed_flow"),
        met=sql.SQL(" and ").join(met or [sql.SQL("true")]),
        order=facts["order"],
    )
    return statement, [value for each in clauses for value in each.params]


def _only_living(chosen: Filter) -> bool:
    """Return whether the filter names statuses, and only those of instances that have not ended."""
    names = chosen.only("status")
    letters = "".join(GROUPS.get(name, STATUSES.get(name, "")) for name in names or ())
    return bool(letters) and set(letters) <= set(LIVING)


def summaries(
    names: Collection[str] | None, at: datetime, after: str = "", cap: int | None = FEW
) -> tuple[list[FlowSummary], bool]:
    """Return a page of flows with their counts at a moment, without jobs, and whether more follow."""
    page, more = page_of_flows(names, after)
    counted = populations([flow["name"] for flow in page], at, cap)
    return [FlowSummary(**flow, statuses=counted[flow["name"]]) for flow in page], more


def populations(names: Collection[str], at: datetime, cap: int | None = CAP) -> dict[str, dict[str, Count]]:
    """Return how many instances each of these flows had in each status at a moment, capped."""
    found = rows(
        "select f.name, p.status::text as status, p.n, p.capped from unnest(%s::text[]) f (name)"
        " cross join lateral wedsql.population(f.name, %s, %s) p",
        [list(names), at, cap],
    )
    by: dict[str, dict[str, Count]] = {name: {} for name in names}
    for r in sorted(found, key=lambda each: counting.STATUSES.index(each["status"])):
        by[r["name"]][r["status"]] = Count(r["n"], r["capped"])
    return by


def kept_since(names: Collection[str] | None) -> datetime | None:
    """Return when the first instance that is kept of these flows (None: all) started; None without any."""
    statement = "select min(wedsql.kept_since(f.name)) from wedsql.flow f where %s or f.name = any(%s)"
    found: datetime | None = scalar(statement, [names is None, list(names or ())])
    return found


def oldest_change(chosen: Filter) -> datetime | None:
    """Return the earliest last change of the instances that met the filter then; None without any."""
    inner, params = _statement(chosen, sql.SQL("i.changed_at"), Cursor(), upward=False)
    statement = sql.SQL("select min(changed_at) from ({}) as sample").format(inner)
    found: datetime | None = scalar(statement, [*params, limit(CAP)])
    return found
