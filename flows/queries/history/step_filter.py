"""Which steps of the history meet a filter by the state that they left."""

from __future__ import annotations

from collections.abc import Sequence

from psycopg import sql

from flows.filters import Filter
from flows.queries.base import rows

# The parts of an instance that a step shows, besides the attributes.
STEP_PARTS = ("status", "id", "parent", "version", "actor", "started", "age", "where")
_MATCHING = """
select c.place - 1 as place
from unnest(%s::integer[], %s::integer[], %s::timestamptz[]) with ordinality c (wid, seq, at, place)
join wedsql.wed_trace t on t.wid = c.wid and t.seq = c.seq and t.tstmp = c.at
cross join lateral (
  select n.wid, n.flow_id, t.status, n.version, n.parent_wid, n.actor, n.started_at
  from wedsql.instance n where n.wid = t.wid) i
cross join lateral jsonb_populate_record(null::{flow}, t.state || jsonb_build_object('wid', t.wid)) f
where {condition} order by 1
"""


def matching(chosen: Filter, steps: Sequence[tuple[int, int, str, str]]) -> list[int]:
    """Return the places of the steps that meet the filter, each given by number, step and time.

    Raises django.db.OperationalError (57014) if it takes longer than the limit.
    """
    if chosen.flow is None:
        raise ValueError("steps need a filter of their flow")
    where = chosen.where()
    statement = sql.SQL(_MATCHING).format(
        flow=sql.Identifier(chosen.flow.name, "wed_flow"), condition=where.sql
    )
    columns = [[each[column] for each in steps] for column in range(3)]
    return [found["place"] for found in rows(statement, [*columns, *where.params])]
