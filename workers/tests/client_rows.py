"""Operations as both clients of the kernel perform them: a row per operation and situation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import psycopg

from flows import api
from flows.types import ClaimedJob, Completion, Failure
from workers.client import jobs as taking
from workers.client import maintenance, registration, results
from workers.client.claims import read_jobs
from workers.client.results import Done
from workers.client.statement import Command
from workers.tests.conftest import Shop

LONG, NAMES = 60.0, ["tr_one"]
A_NUMBER = 2_000_000_000


@dataclass
class Desk:
    """The set-up of a row: a flow with ready jobs, a leased job and an idle worker, and both clients."""

    shop: Shop
    leased: Any
    worker: int

    @property
    def flow(self) -> str:
        return self.shop.flow

    @property
    def conn(self) -> psycopg.Connection[Any]:
        return self.shop.runner.wire.connection

    def send(self, *commands: Command) -> Any:
        """Run commands by the fast client; return the result of the last one."""
        return self.shop.runner.wire.round(*commands)[-1]

    def value(self, *commands: Command) -> str | None:
        """Return the only value of the last command's result, as text."""
        raw = self.send(*commands).get_value(0, 0)
        return None if raw is None else raw.decode()

    def taken(self) -> Any:
        """Return the oldest ready job, taken by the fast client for the transaction."""
        return read_jobs(self.send(taking.take(self.flow, NAMES, 1, "me")))[0]

    def job(self) -> ClaimedJob:
        """Return the oldest ready job, taken by the API for the transaction."""
        return api.jobs.take_many(self.flow, NAMES, 1, actor="me", conn=self.conn)[0]


@dataclass(frozen=True)
class Row:
    """One operation in one situation: how each client performs it, with comparable results."""

    operation: str
    command: str
    about: str
    by_api: Callable[[Desk], Any]
    by_client: Callable[[Desk], Any]

    def __str__(self) -> str:
        return f"{self.command} {self.about}"


def jobs_of(found: list[ClaimedJob]) -> list[Any]:
    """Return jobs without their random part, the token of a lease."""
    return [job._replace(claim=job.claim and 1) for job in found]


def read(desk: Desk, flow: str, *commands: Command) -> list[Any]:
    return jobs_of([taken.job(flow) for taken in read_jobs(desk.send(*commands))])


def completed(desk: Desk, flow: str, job: ClaimedJob, changes: Any, text: str | None) -> Any:
    """Return the rejection of the one result, None for an accepted one."""
    (found,) = api.jobs.complete_many(flow, [Completion(job, changes, text)], actor="me", conn=desk.conn)
    return found.error and (found.job_id, found.error.code, found.error.message)


def done(taken: Any, changes: str | None = None, text: str | None = None) -> Done:
    return Done(taken, changes, text)


def completed_by_client(desk: Desk, flow: str, one: Done) -> Any:
    found = results.refusals(desk.send(*results.complete(flow, [one], "me", counting=False)))
    return (found[0].job_id, found[0].sqlstate, found[0].message) if found else None


def failed(desk: Desk, flow: str, job: ClaimedJob, outcome: str) -> Any:
    """Return how long each failed job waits for its next attempt, None for a parked one."""
    found = api.jobs.fail_many(
        flow, [Failure(job, "no", "22012")], outcome=outcome, actor="me", conn=desk.conn
    )
    now = desk.conn.execute("select wedsql.now()").fetchone()
    assert now is not None
    return [(f.job_id, f.not_before and (f.not_before - now[0]).total_seconds()) for f in found]


def failed_by_client(desk: Desk, flow: str, taken: Any, outcome: str) -> Any:
    answer = desk.send(results.fail(flow, [(taken, "no", "22012")], outcome, "me"))
    waits = [(int(answer.get_value(r, 0)), answer.get_value(r, 1)) for r in range(answer.ntuples)]
    return [(job, None if wait is None else float(wait)) for job, wait in waits]


def late_claim(desk: Desk) -> Any:
    """Return the leased job with another token."""
    desk.leased.claim += 1
    return desk.leased


def held(desk: Desk, changes: str) -> Any:
    (taken,) = read_jobs(desk.send(taking.hold(desk.flow, NAMES, 1, "me")))
    return int(desk.value(results.complete_held(desk.flow, done(taken, changes), "me")) or 0)


def completed_alone(desk: Desk, changes: dict[str, Any]) -> Any:
    return api.jobs.complete(desk.job(), changes, actor="me", conn=desk.conn).seq


def rows_of_taking() -> Iterator[Row]:
    for about, flow, limit in (("ready jobs", "", 3), ("no job", "", 0), ("an unknown flow", "nowhere", 1)):
        yield Row(
            "take_many", "jobs.take", about,
            lambda d, f=flow, n=limit: jobs_of(
                api.jobs.take_many(f or d.flow, NAMES, n, actor="me", conn=d.conn)
            ),
            lambda d, f=flow, n=limit: read(d, f or d.flow, taking.take(f or d.flow, NAMES, n, "me")),
        )  # fmt: skip
        yield Row(
            "take_many", "jobs.hold", about,
            lambda d, f=flow, n=limit: jobs_of(
                api.jobs.take_many(f or d.flow, NAMES, n, actor="me", conn=d.conn)
            ),
            lambda d, f=flow, n=limit: read(d, f or d.flow, taking.hold(f or d.flow, NAMES, n, "me")),
        )  # fmt: skip
        yield Row(
            "lease_many", "jobs.lease", about,
            lambda d, f=flow, n=limit: jobs_of(
                api.jobs.lease_many(
                    f or d.flow, NAMES, n, "me", duration=timedelta(seconds=LONG), conn=d.conn
                )
            ),
            lambda d, f=flow, n=limit: read(
                d, f or d.flow, taking.lease(f or d.flow, NAMES, n, "me", LONG, None)
            ),
        )  # fmt: skip
        yield Row(
            "offer", "jobs.offer", about,
            lambda d, f=flow, n=limit: [
                o.id for o in api.jobs.offer(f or d.flow, NAMES, n, actor="me", conn=d.conn)],
            lambda d, f=flow, n=limit: ids(d.send(taking.offer(f or d.flow, NAMES, n, actor="me"))),
        )  # fmt: skip


def rows_of_leases() -> Iterator[Row]:
    for seconds in (LONG, 0.0):
        yield Row(
            "extend", "jobs.extend", f"a lease, by {seconds:g} s",
            lambda d, s=seconds: api.jobs.extend(
                d.leased.job(d.flow), timedelta(seconds=s), conn=d.conn
            ).timestamp(),
            lambda d, s=seconds: seconds_of(d, d.value(taking.extend(d.leased, s))),
        )  # fmt: skip
    yield Row(
        "task_host", "jobs.host", "a flow whose definition names no host",
        lambda d: api.flows.task_host(d.flow, "tr_one", 1, conn=d.conn),
        lambda d: d.value(taking.host(d.flow, "tr_one", 1)),
    )  # fmt: skip
    yield Row(
        "extend", "jobs.extend", "another worker's lease",
        lambda d: api.jobs.extend(late_claim(d).job(d.flow), timedelta(seconds=LONG), conn=d.conn),
        lambda d: d.value(taking.extend(late_claim(d), LONG)),
    )  # fmt: skip
    yield Row(
        "release", "jobs.release", "a lease",
        lambda d: api.jobs.release(d.leased.job(d.flow), actor="me", conn=d.conn),
        lambda d: d.value(taking.release(d.leased, "me")) or None,
    )  # fmt: skip
    yield Row(
        "release", "jobs.release", "another worker's lease",
        lambda d: api.jobs.release(late_claim(d).job(d.flow), actor="me", conn=d.conn),
        lambda d: d.value(taking.release(late_claim(d), "me")),
    )  # fmt: skip


def ids(answer: Any) -> list[int]:
    return [int(answer.get_value(row, 0)) for row in range(answer.ntuples)]


def seconds_of(desk: Desk, moment: str | None) -> float:
    found = desk.conn.execute(
        "select extract(epoch from (%s::jsonb #>> '{}')::timestamptz)::float8", [moment]
    )
    return float(found.fetchone()[0])  # type: ignore[index]


CHANGES: dict[str, tuple[Any, str]] = {
    "accepted": ({"a": "done"}, '{"a":"done"}'),
    "with an unknown attribute": ({"x": 1}, '{"x":1}'),
    "with a wrong type": ({"n": "many"}, '{"n":"many"}'),
    "that leaves an exception": ({"b": "b", "a": ""}, '{"b":"b","a":""}'),
}


def rows_of_results() -> Iterator[Row]:
    for about, (changes, text) in CHANGES.items():
        yield Row(
            "complete_many", "results.complete", f"a result {about}",
            lambda d, c=changes: completed(d, d.flow, d.job(), c, None),
            lambda d, t=text: completed_by_client(d, d.flow, done(d.taken(), t)),
        )  # fmt: skip
        yield Row(
            "complete_many", "results.complete_held", f"a result {about}",
            lambda d, c=changes: completed_alone(d, c),
            lambda d, t=text: held(d, t),
        )  # fmt: skip
    for sets in ("a = 'done', n = 1 + 1", "a = ", "x = 1", "n = 1 / 0"):
        yield Row(
            "complete_many", "results.complete", f"set {sets}",
            lambda d, w=sets: completed(d, d.flow, d.job(), None, w),
            lambda d, w=sets: completed_by_client(d, d.flow, done(d.taken(), None, w)),
        )  # fmt: skip
    yield Row(
        "complete_many", "results.complete", "by another token",
        lambda d: completed(d, d.flow, late_claim(d).job(d.flow), {"a": "done"}, None),
        lambda d: completed_by_client(d, d.flow, done(late_claim(d), '{"a":"done"}')),
    )  # fmt: skip
    yield Row(
        "complete_many", "results.complete", "in an unknown flow",
        lambda d: completed(d, "nowhere", d.leased.job(d.flow), {"a": "done"}, None),
        lambda d: completed_by_client(d, "nowhere", done(d.leased, '{"a":"done"}')),
    )  # fmt: skip


def rows_of_failures() -> Iterator[Row]:
    for outcome in ("failed", "timeout", "aborted", "lost", "odd"):
        yield Row(
            "fail_many", "results.fail", f"an attempt that ended as {outcome}",
            lambda d, o=outcome: failed(d, d.flow, d.job(), o),
            lambda d, o=outcome: failed_by_client(d, d.flow, d.taken(), o),
        )  # fmt: skip
    yield Row(
        "fail_many", "results.fail", "another worker's job",
        lambda d: failed(d, d.flow, late_claim(d).job(d.flow), "failed"),
        lambda d: failed_by_client(d, d.flow, late_claim(d), "failed"),
    )  # fmt: skip
    yield Row(
        "fail_many", "results.fail", "in an unknown flow",
        lambda d: failed(d, "nowhere", d.leased.job(d.flow), "failed"),
        lambda d: failed_by_client(d, "nowhere", d.leased, "failed"),
    )  # fmt: skip


def messages(answer: Any) -> list[str]:
    return [answer.get_value(row, 3).decode() for row in range(answer.ntuples)]


def rows_of_a_process() -> Iterator[Row]:
    who: tuple[Any, ...] = ("process", "me", "here", 1)
    yield Row(
        "register_worker", "registration.register_worker", "with what it serves",
        lambda d: api.workers.register(*who, [f"{d.flow}:tr_one"], conn=d.conn) > 0,
        lambda d: int(d.value(registration.register_worker(*who, [f"{d.flow}:tr_one"])) or 0) > 0,
    )  # fmt: skip
    for about, name in (("a served name", "tr_one"), ("a misspelled name", "tr_oen")):
        yield Row(
            "never_offered", "registration.never_offered", about,
            lambda d, n=name: [
                row.message for row in api.workers.never_offered([f"{d.flow}:{n}"], conn=d.conn)
            ],
            lambda d, n=name: messages(d.send(registration.never_offered([f"{d.flow}:{n}"]))),
        )  # fmt: skip
    for about, wrong in (("a known worker", 0), ("an unknown worker", A_NUMBER)):
        yield Row(
            "heartbeat", "registration.heartbeat", about,
            lambda d, w=wrong: api.workers.heartbeat(w or d.worker, True, conn=d.conn),
            lambda d, w=wrong: d.value(registration.heartbeat(w or d.worker, True)) == "t",
        )  # fmt: skip
        yield Row(
            "unregister_worker", "registration.unregister_worker", about,
            lambda d, w=wrong: (api.workers.unregister(w or d.worker, conn=d.conn), is_alive(d)),
            lambda d, w=wrong: (d.value(registration.unregister_worker(w or d.worker)) or None, is_alive(d)),
        )  # fmt: skip
    yield Row(
        "next_due", "maintenance.next_due", "with a lease",
        lambda d: api.maintenance.next_due(conn=d.conn).timestamp(),  # type: ignore[union-attr]
        lambda d: float(d.value(maintenance.next_due()) or 0) + now(d),
    )  # fmt: skip


def now(desk: Desk) -> float:
    return float(desk.conn.execute("select extract(epoch from wedsql.now())::float8").fetchone()[0])  # type: ignore[index]


def is_alive(desk: Desk) -> bool:
    return api.workers.heartbeat(desk.worker, True, conn=desk.conn)


ROWS = [
    *rows_of_taking(), *rows_of_leases(), *rows_of_results(), *rows_of_failures(), *rows_of_a_process(),
]  # fmt: skip
