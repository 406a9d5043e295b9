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

from flows.definition.option_labels import option_meant
from flows.filters import BadFilter, Clause, Condition, Filter
from flows.filters.fields import of_attribute
from flows.queries.base import rows
from flows.queries.definitions import FlowInfo, attribute_of
from flows.queries.search import FlowFound, shown

NEWEST = 1_000
# Of a text that is compared as it is shown.
LONGEST = 200
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
    """Return those of the NEWEST instances of each of MOST_FLOWS flows that have the value, newest first.

    A text is the same as it is shown: small or capital letters, blanks and line breaks as one blank.
    """
    parts = [part for flow in _searched(flows[:MOST_FLOWS]) if (part := _part(flow, value, limit))]
    if not parts:
        return []
    with connection.cursor() as cursor:  # the newest are read by the primary key, also of a small table
        cursor.execute("set local enable_seqscan = off")
    statement = sql.SQL(" union all ").join([part.sql for part in parts])
    params = [each for part in parts for each in part.params]
    found = [_found(**each) for each in rows(statement, params)]
    return sorted(found, key=lambda each: -each.wid)[:limit]


def _found(wid: int, flow_id: int, status: str, found: list[str | None]) -> ValueFound:
    """Return a row; `found` is a filter, or an attribute with its text, of which the filter is made."""
    query, text = found
    if text is not None:
        query = Condition(query or "", "=", (text,)).text()
    return ValueFound(wid, flow_id, status, query or "")


def _searched(flows: Iterable[FlowFound]) -> Iterator[FlowInfo]:
    """Yield the flows with the attributes that are searched."""
    ids = [flow.id for flow in flows]
    found = rows(
        "select flow_id, aname as name, type, coalesce(options, '{}') as options,"
        " coalesce(option_labels, '{}') as option_labels, label, description, business_key"
        " from wedsql.attr where flow_id = any(%s) and type = any(%s) and not business_key"
        " order by flow_id, position, aid",
        [ids, list(TYPES)],
    )
    attributes = defaultdict(list)
    for each in found:
        attributes[each.pop("flow_id")].append(attribute_of(each))
    for flow in flows:
        yield FlowInfo(flow.id, flow.name, flow.label, "", 0, False, tuple(attributes[flow.id]))


def _part(flow: FlowInfo, value: str, limit: int) -> Clause | None:
    """Return the statement over one flow, None if no attribute can have the value."""
    met = list(_conditions(flow, value))
    if not met:
        return None
    cases = sql.SQL(" ").join([sql.SQL("when {} then {}").format(c.sql, row.sql) for c, row in met])
    statement = sql.SQL(
        "(select i.wid, i.flow_id, i.status::text as status, v.found from"
        " (select * from {} order by wid desc limit %s) f"
        " cross join lateral (select case {} end as found) v join wedsql.instance i on i.wid = f.wid"
        " where v.found is not null order by f.wid desc limit %s)"
    ).format(sql.Identifier(flow.name, "wed_flow"), cases)
    values = [each for clause, row in met for each in (*clause.params, *row.params)]
    return Clause(statement, (NEWEST, *values, limit))


def _conditions(flow: FlowInfo, value: str) -> Iterator[tuple[Clause, Clause]]:
    """Yield for each attribute that can have the value the SQL of the condition, and of what was found."""
    for attribute in flow.attributes:
        condition = Condition(of_attribute(attribute).written, "=", (option_meant(attribute.type, value),))
        if attribute.type == "text":
            yield _of_text(attribute.name, condition.field, value)
            continue
        try:
            clause = Filter(condition).for_flow(flow).where()
            yield clause, Clause(sql.SQL("array[%s, null]"), (condition.text(),))
        except BadFilter:
            continue


def _of_text(name: str, written: str, value: str) -> tuple[Clause, Clause]:
    """Return the condition that a text is shown like the value; short texts only are compared."""
    column = sql.Identifier("f", name)
    clause = sql.SQL("length({0}) <= %s and lower({1}) = %s").format(column, shown(column))
    return Clause(clause, (LONGEST, value.lower())), Clause(
        sql.SQL("array[%s, {}]").format(column), (written,)
    )
