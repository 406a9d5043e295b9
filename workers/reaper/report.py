"""The reaper's log: jobs that exceeded their time, violated invariants."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import psycopg

from flows import api
from flows.queries.server.invariants import SAMPLE

log = logging.getLogger("workers.reaper")

WORKER = "reaper"
# Only the newest rows are looked at, however much else was logged meanwhile.
_ENDED = """
select l.id, f.name as flow, l.wid, l.job_id as job, l.trname as transition, l.outcome, l.attempt
from (select * from wedsql.job_log order by id desc limit 1000) l join wedsql.flow f on f.id = l.flow_id
where l.actor = %s and l.id > %s and l.at > wedsql.now() - interval '1 minute' order by l.id
"""
_BROKEN = """
select f ->> 'name', f ->> 'found', (f -> 'examples' -> 0 ->> 'wid')::integer
from wedsql.beat b cross join jsonb_array_elements(b.detail -> 'findings') f
where b.name = 'invariants' and (f ->> 'found')::bigint > 0 order by 1
"""
_last = 0


def log_round(connection: psycopg.Connection[Any], counts: Mapping[str, int]) -> None:
    """Log the jobs that the last round ended and how many timers it fired; nothing if there were none."""
    global _last
    if counts.get("timers"):
        log.info("%d timers fired", counts["timers"], extra={"worker": WORKER})
    if not any(counts.get(kind) for kind in ("ended", "expired", "late")):
        return
    for row_id, flow, wid, job, transition, outcome, attempt in connection.execute(_ENDED, (WORKER, _last)):
        _last = row_id
        fields = {"flow": flow, "wid": wid, "job": job, "transition": transition, "outcome": outcome}
        log.warning(
            "%s job %s: %s, attempt %s", transition, job, outcome, attempt, extra=fields | {"worker": WORKER}
        )


def check(connection: psycopg.Connection[Any]) -> None:
    """Check the invariants on a sample, for the health page and the metrics, and log violations."""
    if api.maintenance.check_invariants(SAMPLE, conn=connection) is None:
        return
    for name, found, wid in connection.execute(_BROKEN):
        log.error("invariant %s is broken %s times", name, found, extra={"wid": wid, "worker": WORKER})
