"""Rules of failing attempts: a result that is committed late, a failure of a job that was not taken."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from flows import api
from flows.tests.model import families
from flows.tests.model.base import FLOW, FLOWS, WHICH, Connection, Violation
from flows.tests.model.rules.work_rules import ALL, SERVED, Work
from flows.types import ClaimedJob, Completion, StepResult

READY = """
    select j.wid, j.id from wedsql.job_pool j join wedsql.flow f on f.id = j.flow_id
    where f.name = %s and j.state = 'P' order by j.id"""
WORN = """
    update wedsql.job_pool j set attempts = 32767 from wedsql.flow f
    where f.id = j.flow_id and f.name = %s and j.tgid = 0"""


# Jobs that can be taken while their instance has a timer or a parked job: an older job of the same transition
# goes first.
BESIDE = """
    select f.name, j.id, j.trname from wedsql.job_pool j join wedsql.flow f on f.id = j.flow_id
    where f.name = any (%s) and j.tgid > 0 and j.state = 'P' and not wedsql._waits(j.wid, j.id)
      and coalesce(j.not_before <= wedsql.now(), true) and (
        exists (select 1 from wedsql.timer x where x.wid = j.wid)
        or exists (select 1 from wedsql.job_pool k where k.wid = j.wid and k.state = 'K')) order by j.id"""
FAIL = (
    "select * from wedsql.fail_many(%s, array[%s], array[%s]::bigint[], array[null]::bigint[], array['no'])"
)


class Attempts(Work):
    """Workers that are slow, faulty or use foreign jobs."""

    @rule(
        flow=FLOW,
        served=SERVED,
        changes=families.states,
        minutes=st.sampled_from([2, 10]),
        leased=st.booleans(),
    )
    def commit_late(
        self, flow: str, served: list[str], changes: dict[str, Any], minutes: int, leased: bool
    ) -> None:
        """Complete a job in time and commit minutes later: rejected when its time is over by then."""
        take = self._lease_one if leased else self._take_one
        with self.accepts("WD204") as refused, self.conn.transaction():
            job = take(flow, served)
            if job is None:
                return
            done = Completion(job, self.values(flow, changes))
            result = api.jobs.complete_many(flow, [done], conn=self.conn)[0]
            self.pass_time(minutes)
        self.pass_time(0)  # a transaction that was rolled back also reset its time
        if result.ok and bool(refused) is not (timedelta(minutes=minutes) > _allowed(job)):
            raise Violation("late commit" if not refused else "a good result was refused", (job, minutes))
        if not refused:
            self._answered([done], [result])

    @rule(which=WHICH, changes=families.states, empty=st.booleans())
    def step_beside(self, which: int, changes: dict[str, Any], empty: bool) -> None:
        """Complete a job of an instance with a timer, perhaps clearing its due attribute, or a parked job."""
        row = self.some(which, BESIDE, list(FLOWS))
        if row is None:
            return
        flow, number, transition = row
        changes = changes | {"d": None, "e": None} if empty else changes
        with self.conn.transaction():
            jobs = api.jobs.take_many(flow, [transition], 1, job_ids=[number], conn=self.conn)
            done = [Completion(job, self.values(flow, changes)) for job in jobs]
            results = api.jobs.complete_many(flow, done, conn=self.conn)
        self._answered(done, results)

    def _take_one(self, flow: str, served: list[str]) -> ClaimedJob | None:
        return next(iter(api.jobs.take_many(flow, served, 1, conn=self.conn)), None)

    def _lease_one(self, flow: str, served: list[str]) -> ClaimedJob | None:
        return next(iter(api.jobs.lease_many(flow, served, 1, "model", conn=self.conn)), None)

    @rule(flow=FLOW)
    def wear_out(self, flow: str) -> None:
        """Set the attempts of _EXCPT jobs to the highest number: they are never used up."""
        self.control.execute(WORN, [flow])

    @rule(flow=FLOW, which=WHICH)
    def fail_of_nobody(self, flow: str, which: int) -> None:
        """Report the failure of a job that this session did not take: nothing is counted."""
        row = self.some(which, READY, flow)
        if row is not None:
            answer = self.conn.execute(FAIL, [flow, *row]).fetchall()
            if answer:
                raise Violation("a failure of a job that is not held", answer)

    @rule(flow=FLOW, changes=families.states, others=families.states)
    def side_by_side(self, flow: str, changes: dict[str, Any], others: dict[str, Any]) -> None:
        """Complete jobs of two instances in two concurrent transactions: neither waits for the other."""
        answers: list[tuple[Completion, StepResult]] = []
        with self.accepts(what="waits for another instance:"), self.conn.transaction():
            answers += self._one(self.conn, flow, changes)
            with self.locker.transaction():
                answers += self._one(self.locker, flow, others, {done.job.wid for done, _ in answers})
        for done, result in answers:
            self._answered([done], [result])

    def _one(
        self, session: Connection, flow: str, changes: dict[str, Any], busy: set[int] | None = None
    ) -> list[tuple[Completion, StepResult]]:
        """Take and complete one job of an instance that is not busy.

        A result of another job of a busy instance waits for that transaction.
        """
        free = [job for wid, job in self.control.execute(READY, [flow]) if wid not in (busy or ())]
        jobs = api.jobs.take_many(flow, ALL, 1, job_ids=free, conn=session) if free else []
        done = [Completion(job, self.values(flow, changes)) for job in jobs]
        return list(zip(done, api.jobs.complete_many(flow, done, conn=session), strict=True)) if done else []


def _allowed(job: ClaimedJob) -> timedelta:
    """Return the time a job may take: its timeout; else five minutes for a lease, else no limit."""
    return job.timeout or (timedelta.max if job.claim is None else timedelta(minutes=5))
