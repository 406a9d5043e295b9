"""Rules of work: start, take, hold, lease, complete, fail, in every order and at every time.

The oracle for a result: it is applied if and only if its instance is open, and its claim is the job's present
one, or its session holds the job, within its time; and each claim appears in the history at most once.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import Any

import psycopg
from hypothesis import strategies as st
from hypothesis.stateful import consumes, rule
from psycopg.types.json import Jsonb

from flows import api
from flows.errors import WedError
from flows.tests.model import families
from flows.tests.model.base import FLOW, LEASES, START_REFUSED, WHICH, BaseMachine, Violation
from flows.types import ClaimedJob, Completion, StepResult

ALL = [*families.TRANSITIONS, "tr_w", "_EXCPT"]
SERVED = st.sampled_from([ALL, ALL, ["tr_x"], ["tr_y"], ["_EXCPT"]])
SEVERAL = st.lists(families.states, min_size=1, max_size=3)
LONGEST = 70  # minutes of a back-off
REFUSED = ("WD103", "WD106", "WD210")


class Work(BaseMachine):
    """Workers of the product."""

    def __init__(self) -> None:
        super().__init__()
        self.held: dict[tuple[int, int], bool] = {}
        self.held_flow = ""
        self.held_at = 0

    @rule(flow=FLOW, state=families.states)
    def start(self, flow: str, state: dict[str, Any]) -> None:
        """Start an instance; a first state that fires nothing is rejected."""
        if self.one("select count(*) from wedsql.instance")[0] < 25:
            with self.accepts(*START_REFUSED):
                api.instances.start(flow, self.values(flow, state), conn=self.admin)

    @rule(flow=FLOW, served=SERVED, several=SEVERAL, end=st.integers(0, 9))
    def step(self, flow: str, served: list[str], several: list[dict[str, Any]], end: int) -> None:
        """Take and complete up to three jobs in one transaction, which is sometimes rolled back."""
        with self.conn.transaction(force_rollback=not end):
            jobs = api.jobs.take_many(flow, served, len(several), conn=self.conn)
            states = [self.values(flow, one) for one in several]
            done = [Completion(*one) for one in zip(jobs, states, strict=False)]
            results = api.jobs.complete_many(flow, done, conn=self.conn)
        if end:
            self._answered(done, results)

    def _answered(self, done: list[Completion], results: list[StepResult]) -> None:
        """Check that each result has exactly one answer; report a failed attempt for a rejected one."""
        if sorted(result.job_id for result in results) != sorted(one.job.id for one in done):
            raise Violation("a result without an answer", [result.job_id for result in results])
        by_job = {result.job_id: result for result in results}
        for one in done:
            result = by_job[one.job.id]
            if result.ok:
                self.applied(one.job.id, one.job.wid, result.seq, one.job.claim, one.changes or {})
            elif result.error is None or result.error.code not in REFUSED:
                raise Violation("a good result was refused", result)
            elif one.job.claim is None:
                self._fail(one.job, result.error.code)

    def _fail(self, job: ClaimedJob, code: str) -> None:
        with self.accepts(), self.conn.transaction():
            if api.jobs.take_many(job.flow, [job.transition], 1, job_ids=[job.id], conn=self.conn):
                api.jobs.fail(job, "refused", sqlstate=code, conn=self.conn)

    # -- jobs held by a session
    @rule(flow=FLOW, served=SERVED, limit=st.integers(0, 3), several=st.lists(families.states, max_size=2))
    def hold(self, flow: str, served: list[str], limit: int, several: list[dict[str, Any]]) -> None:
        """Hold jobs in a session and complete some; earlier ones are released, the rest stays held."""
        self.held_flow = flow
        self.held = dict.fromkeys(self.held, False)
        found = self._by_worker("select wid, job_id from {}.hold(%s, %s)", served, limit) or []
        self.held |= dict.fromkeys(found, True)
        self.held_at = self.minutes
        for (wid, job), changes in zip(found, several, strict=False):
            self._finish(wid, job, changes)

    @rule(which=WHICH, changes=families.states)
    def complete_held(self, which: int, changes: dict[str, Any]) -> None:
        """Complete one of the held jobs, perhaps late, perhaps one that was released or is done."""
        if self.held:
            self._finish(*list(self.held)[-1 - which % len(self.held)], changes)

    def _finish(self, wid: int, job: int, drawn: dict[str, Any]) -> None:
        valid = self.held[wid, job] and self._in_time(job)
        changes = self.values(self.held_flow, drawn)
        try:
            done = self._by_worker("select {}.complete_held(%s, %s, %s)", wid, job, Jsonb(changes))
        except psycopg.Error as error:
            if valid and error.sqlstate not in REFUSED:
                raise Violation("a good result was refused", error) from error
        else:
            if done is not None and not valid:
                raise Violation("a result without a right was applied", (wid, job))
            if done is not None:
                self.applied(job, wid, done[0][0], None, changes)
        self.held[wid, job] = False

    def _in_time(self, job: int) -> bool:
        """Return whether a result of this held job must be accepted."""
        query = """
            select 1
            from wedsql.job_pool j join wedsql.instance i using (wid) join wedsql.flow f on f.id = i.flow_id
            where j.id = %s and j.state = 'P' and i.status in ('R', 'E') and f.name = %s
              and coalesce(j.timeout > make_interval(mins => %s), true)"""
        return self.one(query, job, self.held_flow, self.minutes - self.held_at) is not None

    def _by_worker(self, query: str, *params: Any) -> list[Any] | None:
        """Return the rows of a call by the session that holds jobs; None when the reaper ended it."""
        try:
            return self.worker.execute(query.format(self.held_flow), params).fetchall()
        except psycopg.OperationalError:
            self.drop_held()
            return None

    def drop_held(self) -> None:
        """Replace the session that holds jobs; its locks must be released when this returns."""
        with suppress(psycopg.OperationalError):
            self.worker.execute("select pg_advisory_unlock_all()")
        self.worker.close()
        self.worker = self.session()
        self.held = dict.fromkeys(self.held, False)

    # -- leases
    @rule(target=LEASES, flow=FLOW, served=SERVED, minutes=st.sampled_from([1, 5]))
    def lease(self, flow: str, served: list[str], minutes: int) -> ClaimedJob | None:
        """Lease a job; the lease may be unused, used, used late or used twice."""
        found = api.jobs.lease_many(
            flow, served, 1, "model", duration=timedelta(minutes=minutes), conn=self.conn
        )
        return found[0] if found else None

    @rule(job=LEASES, changes=families.states, twice=st.booleans())
    def complete(self, job: ClaimedJob | None, changes: dict[str, Any], twice: bool) -> None:
        """Complete a job, perhaps late, perhaps twice."""
        if job is None:
            return
        known = self.ledger.get(job.id)
        written = dict(known.changes) if known else self.values(job.flow, changes)
        for _ in range(1 + twice):
            self._submit(job, written)

    @rule(job=LEASES, changes=families.states)
    def complete_and_change(self, job: ClaimedJob | None, changes: dict[str, Any]) -> None:
        """Complete a job and then send a different result for the same claim."""
        if job is not None:
            written = self.values(job.flow, changes)
            self._submit(job, written)
            name = next(iter(self.values(job.flow, {"a": 0})))
            self._submit(job, written | {name: (written.get(name) or 0) + 1})

    def _submit(self, job: ClaimedJob, written: dict[str, Any]) -> None:
        known = self.ledger.get(job.id)
        valid = self._holds(job)
        result = api.jobs.complete_many(job.flow, [Completion(job, written)], conn=self.admin)[0]
        if result.ok and not valid and not (known and known.claim == job.claim):
            raise Violation("a result without a right was applied", job)
        if result.ok and known and known.changes != written:
            raise Violation("another result got the first answer", (job, known, written))
        if result.ok:
            self.applied(job.id, job.wid, result.seq, job.claim, written)
        elif valid and (result.error is None or result.error.code not in REFUSED):
            raise Violation("a good result was refused", result)

    def _holds(self, job: ClaimedJob) -> bool:
        """Return whether a result of this lease must be accepted."""
        query = """
            select 1 from wedsql.job_pool j join wedsql.instance i using (wid)
            where j.id = %s and j.claim = %s and j.lease_until > wedsql.now() and j.state = 'L'
              and i.status in ('R', 'E')"""
        return self.one(query, job.id, job.claim) is not None

    @rule(flow=FLOW, several=st.lists(families.states, min_size=2, max_size=3))
    def complete_together(self, flow: str, several: list[dict[str, Any]]) -> None:
        """Lease several jobs, several of one instance if possible, and complete all in one call."""
        jobs = [job for _ in several for job in api.jobs.lease_many(flow, ALL, 1, "model", conn=self.conn)]
        states = [self.values(flow, one) for one in several]
        done = [Completion(*one) for one in zip(jobs, states, strict=False)]
        results = api.jobs.complete_many(flow, done, conn=self.admin)
        if sorted(result.job_id for result in results) != sorted(job.id for job in jobs):
            raise Violation("a result without an answer", ([job.id for job in jobs], results))
        by_job = {result.job_id: result for result in results}
        for one in done:
            if by_job[one.job.id].ok:
                self.applied(
                    one.job.id, one.job.wid, by_job[one.job.id].seq, one.job.claim, one.changes or {}
                )

    @rule(target=LEASES, job=LEASES, changes=families.states)
    def overtake(self, job: ClaimedJob | None, changes: dict[str, Any]) -> ClaimedJob | None:
        """Let a lease expire, reap it, lease the job again, and complete it with the old claim, too."""
        if job is None:
            return None
        self.pass_time(6)
        self.complete(job, changes, False)
        with self.accepts(what="round ended by"):
            api.maintenance.reap(conn=self.admin)
        self.pass_time(1)
        found = api.jobs.lease_many(job.flow, [job.transition], 1, "other", job_ids=[job.id], conn=self.conn)
        self.complete(job, changes, False)
        return found[0] if found else None

    @rule(job=consumes(LEASES), code=st.sampled_from(["", "P0001", "WD103"]))
    def fail(self, job: ClaimedJob | None, code: str) -> None:
        """Report a failed attempt; it counts only for the present claim."""
        if job is None:
            return
        row = self.one("select claim from wedsql.job_pool where id = %s and state <> 'K'", job.id)
        with self.accepts():
            answer = api.jobs.fail(job, "no", sqlstate=code, conn=self.conn)
            if (answer is not None) != (row is not None and row[0] == job.claim):
                raise Violation("a failure of a job that is not held", (job, answer))

    @rule(flow=FLOW, served=SERVED, several=st.integers(1, 4), again=st.booleans())
    def fail_at_once(self, flow: str, served: list[str], several: int, again: bool) -> None:
        """Lease jobs of some instances and fail, perhaps once more after the back-off."""
        with self.accepts():
            for job in api.jobs.lease_many(flow, served, several, "model", conn=self.conn):
                api.jobs.fail(job, "no", conn=self.conn)
        if again:
            self.pass_time(LONGEST)
            self.fail_at_once(flow, served, several, False)

    @rule(job=LEASES, longer=st.booleans())
    def keep_or_return(self, job: ClaimedJob | None, longer: bool) -> None:
        """Extend or release a lease; rejected exactly when the lease is not held."""
        if job is None:
            return
        query = "select 1 from wedsql.job_pool where (id, claim) = (%s, %s) and lease_until > wedsql.now()"
        held = self.one(query, job.id, job.claim)
        try:
            if longer:
                api.jobs.extend(job, timedelta(minutes=3), conn=self.conn)
            else:
                api.jobs.release(job, conn=self.admin)
        except WedError as error:
            if held or error.code not in {"WD203", "WD204", "WD205"}:
                raise Violation("a lease was refused", error) from error
        else:
            if not held:
                raise Violation("a lease without a worker", job)
