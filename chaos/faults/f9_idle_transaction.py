"""F9: a client takes a job in a transaction and leaves the transaction open."""

from __future__ import annotations

import time
from contextlib import ExitStack

import psycopg

from chaos.busy_client import work
from chaos.client import Client
from chaos.load import FLOW
from chaos.run import Row, Run
from chaos.system import System
from flows import api

TIMEOUT = 15.0
IDLE_TIMEOUT = 15.0  # seconds until the reaper ends the session
MIN_RATIO = 0.9
_DEAD = "select coalesce(sum(n_dead_tup), 0) from pg_stat_user_tables where relname = 'job_pool'"


def idle_transaction(run: Run, row: Row) -> None:
    """Leave transactions open: the reaper ends such sessions after the timeout, and others do the jobs."""
    with run.system(row) as system:
        for _ in range(run.number(10, least=3)):
            row.injection(lambda: _measure_recovery(system), "a transaction left open")
    with run.system(row, programs=("pool", "reaper"), rate=1.0, designer=0) as system:
        _compare(run, row, system)


def _compare(run: Run, row: Row, system: System) -> None:
    """Compare the speed of work beside a client that repeatedly leaves a transaction open, and without."""
    steps = {False: 0, True: 0}
    dead, seconds = 0, run.seconds(20)
    for with_idle in [False, True, True, False]:  # alternating, so that other changes affect both alike
        with ExitStack() as stack:
            if with_idle:
                stack.enter_context(IdleClient(system))
            with system.connect("web") as conn:
                steps[with_idle] += work(conn, seconds)
        dead = max(dead, int(system.one(_DEAD)))
    ratio = steps[True] / max(steps[False], 1)
    row.notes.append(f"{steps[False]} steps alone, {steps[True]} beside the offender: {ratio:.2f} of them")
    row.notes.append(f"at most {dead} dead rows in job_pool")
    if ratio < MIN_RATIO and seconds > IDLE_TIMEOUT:  # else it was never ended: no guarantee
        row.fail(f"beside the offender only {ratio:.2f} of the work is done")


class IdleClient(Client):
    """Takes a job, writes, and keeps the transaction open until its session is ended; then repeats."""

    ignored = (psycopg.OperationalError,)

    def __init__(self, system: System) -> None:
        super().__init__("offender")
        self.system = system

    def act(self) -> None:
        """Leave one transaction open."""
        with self.system.connect("worker", name="offender") as conn:
            api.instances.start("side", {"grab": "0"}, conn=conn)
            with conn.transaction():
                api.jobs.take_many("side", ["tr_grab"], 1, actor="offender", conn=conn)
                api.instances.start("side", {"hand": "0"}, actor="offender", conn=conn)
                while not self.ended.wait(0.2):
                    conn.pgconn.consume_input()
                raise psycopg.OperationalError("ended by the fault")


def _measure_recovery(system: System) -> float:
    """Take a job of one second, write, and wait; return the seconds until session and job are gone."""
    with system.connect("worker", name="offender") as conn:
        conn.autocommit = False
        job = None
        until = time.monotonic() + TIMEOUT
        while job is None and time.monotonic() < until:
            job = api.jobs.take(FLOW, ["tr_slow"], actor="offender", conn=conn)
            if job is None:
                conn.rollback()
                time.sleep(0.01)
        if job is None:
            raise TimeoutError("the offender got no job")
        api.instances.start(FLOW, {"goal": 1}, actor="offender", conn=conn)  # the transaction also writes
        backend, alive = conn.info.backend_pid, "select count(*) from pg_stat_activity where pid = %s"
        seconds = system.until(
            lambda: not system.one(alive, (backend,)), TIMEOUT, "the offender is still there"
        )
        query = "select count(*) from wedsql.job_pool where id = %s"
        seconds += system.until(
            lambda: system.one(query, (job.id,)) == 0, TIMEOUT, "others did not do its job"
        )
        try:
            conn.commit()
        except psycopg.OperationalError:
            return seconds
        raise TimeoutError("the offender could still commit")
