"""The values that a field of a filter has now: the most frequent ones of the newest rows."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from psycopg import sql

from flows.filters.alerts import ROWS as ALERTS
from flows.filters.fields import Field
from flows.filters.relations import OF
from flows.queries.base import rows
from flows.queries.definitions import FlowInfo
from flows.queries.everywhere import flow_ids

NEWEST = 1_000
MOST = 50
LONGEST = 200
# Times and numbers with fractions are seldom equal; documents and durations are not typed by heart.
TYPES = ("text", "enum", "integer", "date", "time")
# Where the rows of each kind of lists are, with their flow and number.
_ROWS = {
    "instances": ("wedsql.instance i", "i.flow_id", "i.wid"),
    "tasks": ("wedsql.task t", "t.flow_id", "t.job_id"),
    "cases": ("wedsql.repair_case c", "c.flow_id", "c.number"),
    "jobs": ("wedsql.job_pool j", "j.tgid <> 0 and j.flow_id", "j.id"),
    "approvals": ("wedsql.proposal p", "p.flow_id", "p.number"),
    "alerts": (ALERTS, "r.flow_id", "r.id"),
}
_OF_INSTANCES = {"reason": "i.reason", "actor": "i.actor"}
_VALUES = (
    "select v.value from (select left({column}::text, %s) as value from {source}"
    " where {seen} order by {number} desc limit %s) v"
    " where v.value <> '' group by v.value order by count(*) desc, v.value limit %s"
)


def field_values(field: Field, flow: FlowInfo | None, names: Collection[str] | None) -> list[str]:
    """Return values of a field in the flow as it is shown, or without one in the flows of these names.

    None for all flows. An attribute has values in a flow only. At most MOST, none for a field that is not
    compared with single values. Raises django.db.OperationalError (57014) as any query of a page.
    """
    if "=" not in field.operators or field.choices:
        return []
    if field.attribute or field.name == "key":
        return _of_attribute(field, flow) if flow else []
    if field.name in ("pending", "did", "redid", "failed"):
        return _transitions(flow)
    return _of_part(field, [flow.id] if flow else flow_ids(names))


def _of_attribute(field: Field, flow: FlowInfo) -> list[str]:
    found = field.attribute or next((one for one in flow.attributes if one.business_key), None)
    if found is None or found.type not in TYPES:
        return []
    parts = {
        "column": sql.Identifier("f", found.name),
        "source": sql.SQL("{} f").format(sql.Identifier(flow.name, "wed_flow")),
        "seen": sql.SQL("true"),
        "number": sql.SQL("f.wid"),
    }
    return _read(parts, [])


def _transitions(flow: FlowInfo | None) -> list[str]:
    fired = (one.transition for one in flow.triggers if one.fires and one.transition) if flow else ()
    return sorted(set(fired))[:MOST]


def _of_part(field: Field, ids: list[int]) -> list[str]:
    kind = OF.get(field.name)
    column = kind.columns.get(field.name) if kind else _OF_INSTANCES.get(field.name)
    if column is None or field.kind not in ("text", "name"):
        return []
    source, flow, number = _ROWS[kind.of if kind else "instances"]
    parts: dict[str, sql.Composable] = {
        "column": sql.SQL("({})").format(sql.SQL(column)),
        "source": sql.SQL(source),
        "seen": sql.SQL("{} = any (%s)").format(sql.SQL(flow)),
        "number": sql.SQL(number),
    }
    return _read(parts, [ids])


def _read(parts: dict[str, sql.Composable], seen: list[Any]) -> list[str]:
    found = rows(sql.SQL(_VALUES).format(**parts), [LONGEST + 1, *seen, NEWEST, MOST])
    return [each["value"] for each in found if len(each["value"]) <= LONGEST]
