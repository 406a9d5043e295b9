"""The reaper counts the history into figures, however many steps one transaction has written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg

from flows import api
from flows.capabilities.figures import reaper
from flows.capabilities.figures.reaper import FigureCounter

COUNTED = "select pg_visible_in_snapshot(%s, s.counted) from wedsql.figure_state s"


def test_a_transaction_too_large_for_the_usual_limit_gets_a_longer_one(
    flow: str, connect: Callable[..., psycopg.Connection[Any]], monkeypatch: Any
) -> None:
    conn = connect()
    monkeypatch.setattr(reaper, "EVERY", 0.0)
    conn.execute("select wedsql.count_history(1000000)")
    with conn.transaction():
        api.instances.start_many(flow, [{}] * 3000, conn=conn)
        started = conn.execute("select pg_current_xact_id()").fetchone()
    counter, found = FigureCounter(), []
    for _ in range(2):
        conn.execute("set statement_timeout = '1ms'")
        counter.count(conn)
        conn.execute("reset statement_timeout")
        found.append(conn.execute(COUNTED, started).fetchone())
    assert found == [(False,), (True,)]
