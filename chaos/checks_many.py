"""Proofs for the guards of results that are given together: one alone takes a way of its own."""

from __future__ import annotations

import threading

import psycopg

from chaos.guarded import FLOW, Bench, Connection, must, until_waiting
from flows import api
from flows.errors import WedError
from flows.types import ClaimedJob, Completion


def own_jobs_leave(b: Bench) -> None:
    """The jobs of finished transitions leave the pool, so that they cannot be done again."""
    _finish(_two(b), b.conn)
    must(b.sql("select count(*) from job_pool where trname = 'tr_a'") == 0, "the jobs stay")


def instances_first(b: Bench) -> None:
    """Results that wait for a cancellation see it; that of the cancelled instance is refused."""
    jobs = _two(b)
    other, answers = b.session(), []

    def finish() -> None:
        try:
            answers.extend(_finish(jobs, b.session()))
        except (WedError, psycopg.Error) as error:
            answers.append(str(error))

    with other.transaction():
        api.cancel(jobs[0].wid, "changed my mind", conn=other)
        thread = threading.Thread(target=finish)
        thread.start()
        until_waiting(b)
    thread.join(10)
    must(answers in (["WD105", ""], ["WD205", ""]), f"the results were answered with {answers}")


def _two(b: Bench) -> list[ClaimedJob]:
    b.start()
    b.start()
    return sorted(api.lease_many(FLOW, ["tr_a"], 2, "checks", conn=b.conn), key=lambda job: job.wid)


def _finish(jobs: list[ClaimedJob], conn: Connection) -> list[str]:
    """The results of these jobs together; '' for an accepted one, else its code."""
    results = api.complete_many(FLOW, [Completion(job, {"a": "1"}) for job in jobs], conn=conn)
    return [result.error.code if result.error else "" for result in results]
