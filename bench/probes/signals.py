"""Signals per second, beside results that a worker takes and completes in the same session."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import psycopg
from psycopg.types.json import Jsonb

from bench.probes.base import Stage
from bench.targets import Measure
from flows import api

_FLOW = "payments"
_DEFINITION = {
    "attributes": [{"name": "number", "business_key": True}, {"name": "paid"}, {"name": "sent"}],
    "triggers": [
        {"transition": "payment", "predicate": "paid is null", "signal": True, "keep": "1 day"},
        {"transition": "tr_send", "predicate": "paid is not null and sent is null"},
        {"predicate": "sent is not null", "final": True},
    ],
}
_SEND = """
select count(*) from wedsql.take(%s, array['tr_send'], 1, 'bench', %s) t
cross join lateral wedsql.complete_many(%s, array[t.wid], array[t.job_id], array[null::bigint],
                                        array['{"sent": "yes"}'::jsonb], 'bench') c where c.ok
"""
_ROUNDS = 5


def measure(stage: Stage) -> list[Measure]:
    """Measure one commit a signal by number, by business key and with a token, in interleaved rounds."""
    stage.database()
    size = 50 if stage.quick else 400
    costs: dict[str, list[float]] = {}
    with stage.cluster.session("probe") as conn:
        with conn.transaction():
            conn.execute("select wedsql.create_flow(%s)", [_FLOW])
            conn.execute("select wedsql.publish(%s, %s)", [_FLOW, Jsonb(_DEFINITION)])
        for turn in range(_ROUNDS):
            for kind, send in _WAYS.items():
                wids = _waiting(conn, f"{kind}-{turn}", size)
                costs.setdefault(kind, []).append(_cost(conn, send, wids, f"{kind}-{turn}"))
            costs.setdefault("result", []).append(_results(conn, wids))
    return _measures({kind: statistics.median(each) for kind, each in costs.items()})


def _by_number(conn: psycopg.Connection, wid: int, key: str) -> None:
    api.signals.send(_FLOW, "payment", {"paid": "yes"}, to=wid, conn=conn)


def _by_key(conn: psycopg.Connection, wid: int, key: str) -> None:
    api.signals.send(_FLOW, "payment", {"paid": "yes"}, to=key, conn=conn)


def _with_token(conn: psycopg.Connection, wid: int, key: str) -> None:
    api.signals.send(_FLOW, "payment", {"paid": "yes"}, to=wid, token=key, conn=conn)


_WAYS: dict[str, Callable[[psycopg.Connection, int, str], None]] = {
    "number": _by_number,
    "key": _by_key,
    "token": _with_token,
}


def _waiting(conn: psycopg.Connection, name: str, size: int) -> list[int]:
    """Start instances that wait for the signal, and return their numbers."""
    with conn.transaction():
        states = [{"number": f"{name}-{n}"} for n in range(size)]
        return [one.wid for one in api.instances.start_many(_FLOW, states, conn=conn) if one.wid]


def _cost(
    conn: psycopg.Connection, send: Callable[[psycopg.Connection, int, str], None], wids: list[int], name: str
) -> float:
    """Return the seconds per signal, each a transaction."""
    began = time.perf_counter()
    for n, wid in enumerate(wids):
        send(conn, wid, f"{name}-{n}")
    return (time.perf_counter() - began) / len(wids)


def _results(conn: psycopg.Connection, wids: list[int]) -> float:
    """Return the seconds per job of these instances that is taken and completed, each a transaction."""
    found = conn.execute(
        "select id from wedsql.job_pool where wid = any (%s) and trname = 'tr_send' order by id", [wids]
    ).fetchall()
    began = time.perf_counter()
    done = 0
    for (job,) in found:
        done += (conn.execute(_SEND, [_FLOW, [job], _FLOW], prepare=True).fetchone() or (0,))[0]
    if done != len(wids):
        raise RuntimeError(f"{done} of {len(wids)} jobs were completed")
    return (time.perf_counter() - began) / len(wids)


def _measures(costs: dict[str, float]) -> list[Measure]:
    labels = {"number": "to a number", "key": "to a business key", "token": "to a number, with a token"}
    return [
        Measure(
            f"signal-{kind}",
            f"a signal {label}, against a worker's result",
            costs[kind] / costs["result"],
            "times",
            f"{1 / costs[kind]:,.0f} signals/s, one commit each",
        )
        for kind, label in labels.items()
    ]
