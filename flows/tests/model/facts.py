"""The tables of a few flows, read in one statement as plain Python values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any

import psycopg
from psycopg import sql

Row = dict[str, Any]
NEVER = datetime.max.replace(tzinfo=UTC)
_QUERY = """
with f as (select * from wedsql.flow where name = any (%(names)s))
select json_build_object(
  'now', wedsql.now(),
  'flows', (select json_agg(f) from f),
  'attributes', (select json_agg(a) from wedsql.attr a join f on f.id = a.flow_id),
  'triggers', (select json_agg(to_jsonb(t)
                                || jsonb_build_object('due_seconds', extract(epoch from t.due_after),
                                     'pickup_seconds', extract(epoch from t.pickup_deadline)))
               from wedsql.trig t join f on f.id = t.flow_id),
  'instances', (select json_agg(i order by i.wid) from wedsql.instance i join f on f.id = i.flow_id),
  'jobs', (select json_agg(j order by j.id) from wedsql.job_pool j),
  'timers', (select json_agg(x order by x.due_at) from wedsql.timer x),
  'rematches', (select json_agg(r) from wedsql.rematch_run r where r.finished_at is null),
  'signals', (select json_agg(s order by s.id) from wedsql.signal s join f on f.id = s.flow_id),
  'child_jobs', (select json_agg(c order by c.job_id) from wedsql.child_job c
                 join f on f.id = c.flow_id),
  'children', (select json_agg(c order by c.wid) from wedsql.child c),
  'trace', (select json_agg(t order by t.wid, t.seq) from wedsql.wed_trace t),
  'states', {states})
"""


@dataclass(frozen=True)
class Facts:
    """The contents of the tables at one moment."""

    now: datetime
    flows: dict[int, Row]
    attributes: list[Row]
    triggers: dict[int, Row]
    instances: dict[int, Row]
    jobs: dict[int, list[Row]]
    timers: dict[int, list[Row]]
    rematches: dict[int, Row]
    signals: list[Row]
    child_jobs: list[Row]
    children: list[Row]
    trace: dict[int, list[Row]]
    states: dict[int, Row]

    def triggers_of(self, flow_id: int) -> list[Row]:
        """Return the enabled triggers of a flow, including the final one."""
        return [t for t in self.triggers.values() if t["flow_id"] == flow_id and t["enabled"]]

    def is_left(self, instance: Row) -> bool:
        """Return whether a re-match in batches has not come to the instance."""
        run, wid = self.rematches.get(instance["flow_id"]), instance["wid"]
        return run is not None and (wid in run["skipped"] or run["position"] < wid <= run["last_wid"])


def read(conn: psycopg.Connection[Any], names: Sequence[str]) -> Facts:
    """Read all rows of the flows with these names."""
    states = sql.SQL(" || ").join(
        sql.SQL(
            "coalesce((select jsonb_object_agg(w.wid, to_jsonb(w) - 'wid') from {}.wed_flow w), '{{}}')"
        ).format(sql.Identifier(name))
        for name in names
    )
    row = conn.execute(sql.SQL(_QUERY).format(states=states), {"names": list(names)}).fetchone()
    assert row is not None
    found = {name: value or [] for name, value in row[0].items()}
    return Facts(
        moment(row[0]["now"]),
        {flow["id"]: flow for flow in found["flows"]},
        found["attributes"],
        {trigger["tgid"]: trigger for trigger in found["triggers"]},
        {instance["wid"]: instance for instance in found["instances"]},
        _by_instance(found["jobs"]),
        _by_instance(found["timers"]),
        {run["flow_id"]: run for run in found["rematches"]},
        found["signals"],
        found["child_jobs"],
        found["children"],
        _by_instance(found["trace"]),
        {int(wid): state for wid, state in dict(row[0]["states"]).items()},
    )


def moment(text: str) -> datetime:
    """Parse a time as PostgreSQL writes it in JSON; a date is its first moment in UTC."""
    if len(text) == 10:
        return datetime.combine(date.fromisoformat(text), time(), UTC)
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return NEVER  # a year beyond Python's range


def _by_instance(rows: list[Row]) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["wid"]].append(row)
    return found
