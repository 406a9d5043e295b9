"""Instances by the exact value of an attribute: of each flow, the newest ones are looked at.

A value is equal as in a filter `attribute:value`. A business key has an index and is not searched here: see
flows.queries.search.by_business_key.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.db import connection
from psycopg import sql

from flows.filters import BadFilter, Clause, Condition, Filter
from flows.filters.fields import of_attribute
from flows.queries.base import rows
from flows.queries.definitions import Attribute, FlowInfo
from flows.queries.search import FlowFound

NEWEST = 1_000
MOST_FLOWS = 50
# Yes and no, times of day, durations and documents are not what people search for.
TYPES = ("text", "enum", "integer", "numeric", "date")


@dataclass(frozen=True)
class ValueFound:
    """An instance with that value; `query` is the filter of all instances with the value in the attribute."""

    wid: int
    flow_id: int
    status: str
    query: str


def by_value(value: str, flows: Sequence[FlowFound], limit: int) -> list[ValueFound]:
    """Return those of the NEWEST instances of each of MOST_FLOWS flows that have the value, newest first."""
    parts = [part for flow in _searched(flows[:MOST_FLOWS]) if (part := _part(flow, value, limit))]
    if not parts:
        return []
    with connection.cursor() as cursor:  # the newest are read by the primary key, also of a small table
        cursor.execute("set local enable_seqscan = off")
    statement = sql.SQL(" union all ").join([part.sql for part in parts])
    params = [each for part in parts for each in part.params]
    found = [ValueFound(**each) for each in rows(statement, params)]
    return sorted(found, key=lambda each: -each.wid)[:limit]


def _searched(flows: Iterable[FlowFound]) -> Iterator[FlowInfo]:
    """Yield the flows with the attributes that are searched."""
    ids = [flow.id for flow in flows]
    found = rows(
        "select flow_id, aname as name, type, coalesce(options, '{}') as options, label, description,"
        " business_key from wedsql.attr where flow_id = any(%s) and type = any(%s) and not business_key"
        " order by flow_id, position, aid",
        [ids, list(TYPES)],
    )
    attributes = defaultdict(list)
    for each in found:
        flow_id, options = each.pop("flow_id"), tuple(each.pop("options"))
        attributes[flow_id].append(Attribute(**each, options=options))
    for flow in flows:
        yield FlowInfo(flow.id, flow.name, flow.label, "", 0, False, tuple(attributes[flow.id]))


def _part(flow: FlowInfo, value: str, limit: int) -> Clause | None:
    """Return the statement over one flow, None if no attribute can have the value."""
    met = list(_conditions(flow, value))
    if not met:
        return None
    cases = sql.SQL(" ").join([sql.SQL("when {} then %s").format(clause.sql) for _query, clause in met])
    statement = sql.SQL(
        "(select i.wid, i.flow_id, i.status::text as status, v.query from"
        " (select * from {} order by wid desc limit %s) f"
        " cross join lateral (select case {} end as query) v join wedsql.instance i on i.wid = f.wid"
        " where v.query is not null order by f.wid desc limit %s)"
    ).format(sql.Identifier(flow.name, "wed_flow"), cases)
    values = [each for query, clause in met for each in (*clause.params, query)]
    return Clause(statement, (NEWEST, *values, limit))


def _conditions(flow: FlowInfo, value: str) -> Iterator[tuple[str, Clause]]:
    """Yield the filter and the SQL of each attribute that can have the value."""
    for attribute in flow.attributes:
        condition = Condition(of_attribute(attribute).written, "=", (value,))
        try:
            yield condition.text(), Filter(condition).for_flow(flow).where()
        except BadFilter:
            continue
