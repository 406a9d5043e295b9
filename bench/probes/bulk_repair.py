"""Repairs of many instances: the preview of a page of them, and the time until the reaper has done all."""

from __future__ import annotations

import time

import psycopg
from psycopg.types.json import Jsonb

from bench.probes.base import Stage
from bench.targets import Measure
from flows import api
from flows.capabilities.bulk.api import BulkRequest

_FLOW = "repair"
_DEFINITION = {
    "attributes": [{"name": "a", "type": "text"}, {"name": "n", "type": "integer"}],
    "triggers": [
        {"transition": "tr_pay", "predicate": "a = 'new'", "compensation": "inverse"},
        {"transition": "tr_ship", "predicate": "a = 'paid' and n > 0"},
        {"predicate": "a = 'end'", "final": True},
    ],
}
_TAKE = """
select array_agg(wid), array_agg(job_id), array_agg('{"a": "lost"}'::jsonb)
from wedsql.take(%s, array['tr_pay'], 100, 'bench')
"""
_DO = "select count(*) filter (where ok) from wedsql.complete_many(%s, %s, %s, %s::bigint[], %s, 'bench')"
_ARGUMENTS = {"patch": {"changes": {"a": "paid", "n": 1}}, "accept": {}, "abort": {}}
_PAGE = 25
_ALONE = 200


def measure(stage: Stage) -> list[Measure]:
    """Measure new values, accepting and undoing of as many exceptions each, and a page of previews."""
    stage.database()
    size = 1_000 if stage.quick else 10_000
    found = []
    with stage.cluster.session("probe") as conn:
        with conn.transaction():
            conn.execute("select wedsql.create_flow(%s)", [_FLOW])
            conn.execute("select wedsql.publish(%s, %s)", [_FLOW, Jsonb(_DEFINITION)])
        for operation, arguments in _ARGUMENTS.items():
            wids = _exceptions(conn, size)
            asked = BulkRequest(operation, "The bank was down.", arguments=arguments)
            if operation == "patch":
                found += [_preview(conn, asked, wids), _alone(conn, asked, _exceptions(conn, _ALONE))]
            one = _repair(conn, asked, wids)
            found.append(one if size == 10_000 else one.unjudged(size))
    return found


def _exceptions(conn: psycopg.Connection, size: int) -> list[int]:
    """Start instances that become exceptions, with their cases, and return their numbers."""
    wids = []
    for _ in range(size // 100):
        with conn.transaction():
            wids += [
                one.wid for one in api.instances.start_many(_FLOW, [{"a": "new"}] * 100, conn=conn) if one.wid
            ]
            taken, jobs, changes = conn.execute(_TAKE, [_FLOW]).fetchone() or ((),) * 3
            values = [_FLOW, taken, jobs, [None] * len(taken), [Jsonb(each) for each in changes]]
            conn.execute(_DO, values)
    conn.execute("vacuum (analyze) wedsql.instance, wedsql.wed_trace, wedsql.repair_case, wedsql.job_pool")
    return wids


def _preview(conn: psycopg.Connection, asked: BulkRequest, wids: list[int]) -> Measure:
    began = time.perf_counter()
    shown = api.bulk.preview(asked, wids[:_PAGE], total=len(wids), conn=conn)
    seconds = time.perf_counter() - began
    if [one.refusal for one in shown] != [None] * _PAGE:
        raise RuntimeError("an exception cannot be repaired")
    return Measure("bulk-preview", f"preview of {_PAGE} instances of a bulk repair", seconds * 1000, "ms")


def _alone(conn: psycopg.Connection, asked: BulkRequest, wids: list[int]) -> Measure:
    """Measure the same repair of one instance at a time, each a transaction."""
    began = time.perf_counter()
    for wid in wids:
        api.repairs.repair(wid, asked.operation, asked.arguments, asked.reason, conn=conn)
    seconds = time.perf_counter() - began
    return Measure(
        "bulk-alone", "the same new values, one instance at a time", seconds / len(wids) * 1000, "ms"
    )


def _repair(conn: psycopg.Connection, asked: BulkRequest, wids: list[int]) -> Measure:
    """Request the repair and perform its slices as the reaper does, each a transaction."""
    made = api.bulk.request(asked, wids, expected=len(wids), conn=conn)
    began = time.perf_counter()
    while api.bulk.continue_bulk(conn=conn) is not None:
        pass
    seconds = time.perf_counter() - began
    done = api.bulk.read(made.id, conn=conn).done
    if done != len(wids):
        raise RuntimeError(f"{done} of {len(wids)} instances were repaired")
    label = f"bulk repair of {len(wids):,} cases: {asked.operation}"
    return Measure(f"bulk-{asked.operation}", label, seconds, "s")
