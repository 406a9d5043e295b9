"""F9: somebody takes work in a transaction and goes away, leaving the transaction open."""

from __future__ import annotations

import time

import psycopg

from chaos.load import FLOW
from chaos.run import Row, Run
from chaos.world import World
from flows import api

PATIENCE = 15.0


def offender(run: Run, row: Row) -> None:
    """The reaper ends each such session after the job's timeout, and somebody else does the job."""
    with run.world(row) as world:
        before = world.one(
            "select coalesce(sum(n_dead_tup), 0) from pg_stat_user_tables where relname = 'job_pool'"
        )
        for _ in range(run.number(10, least=3)):
            row.injection(lambda: _hold(world), "a transaction left open")
        after = world.one(
            "select coalesce(sum(n_dead_tup), 0) from pg_stat_user_tables where relname = 'job_pool'"
        )
        row.notes.append(f"dead rows in job_pool: {before} before, {after} after")


def _hold(world: World) -> float:
    """Take a job of one second, write, and sit; seconds until the session is gone and the job done."""
    with world.connect("worker", name="offender") as conn:
        conn.autocommit = False
        job = None
        until = time.monotonic() + PATIENCE
        while job is None and time.monotonic() < until:
            job = api.take(FLOW, ["tr_slow"], actor="offender", conn=conn)
            if job is None:
                conn.rollback()
                time.sleep(0.01)
        if job is None:
            raise TimeoutError("the offender got no job")
        api.start(FLOW, {"goal": 1}, actor="offender", conn=conn)  # its transaction writes, too
        begun = time.monotonic()
        world.until(lambda: not _alive(world, conn.info.backend_pid), PATIENCE, "the offender is still there")
        query = "select count(*) from wedsql.job_pool where id = %s"
        world.until(lambda: world.one(query, (job.id,)) == 0, PATIENCE, "its job was not done by others")
        try:
            conn.commit()
        except psycopg.OperationalError:
            return time.monotonic() - begun
        raise TimeoutError("the offender could still commit")


def _alive(world: World, backend: int) -> bool:
    return bool(world.one("select count(*) from pg_stat_activity where pid = %s", (backend,)))
