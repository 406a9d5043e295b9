"""Rules for what operators do to running instances and their jobs, one by one and in bulk."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from flows import api
from flows.capabilities.bulk.api import BulkRequest
from flows.tests.model.base import FLOWS, WHICH, WORKERS, BaseMachine, Violation

REASON = "model"
JOBS = """
    select j.wid, j.id from wedsql.job_pool j join wedsql.flow f on f.id = j.flow_id
    where f.name = any (%s) and j.tgid > 0 order by (j.state = %s) desc, j.wid, j.id limit 21"""
LIVING = """
    select i.wid from wedsql.instance i join wedsql.flow f on f.id = i.flow_id
    where f.name = any (%s) and i.status = any (%s) order by 1"""
BULK = ("cancel", "rematch", "suspend", "resume", "resume", "retry", "priority", "reassign")
ASSIGNED = "select id from wedsql.job_pool where assigned_to <> %s"


class Operate(BaseMachine):
    """The operations of flows.api.operations.offered, and the same in bulk."""

    @rule(which=WHICH)
    def suspend(self, which: int) -> None:
        """Suspend a living instance."""
        row = self.some(which, LIVING, list(FLOWS), ["R", "E"])
        if row is not None:
            api.operations.suspend(row[0], REASON, conn=self.admin)

    @rule(which=WHICH)
    def resume(self, which: int) -> None:
        """Resume a suspended instance."""
        row = self.some(which, LIVING, list(FLOWS), ["S"])
        if row is not None:
            api.operations.resume(row[0], REASON, conn=self.admin)

    @rule(which=WHICH)
    def retry_job(self, which: int) -> None:
        """Offer a job now, often a parked one."""
        self._operate_job(which, "K", api.operations.retry_job)

    @rule(which=WHICH)
    def release_job(self, which: int) -> None:
        """End the lease of a job; its holder is rejected from now on."""
        self._operate_job(which, "L", api.operations.release_job)

    @rule(which=WHICH)
    def withdraw_job(self, which: int) -> None:
        """Withdraw a pending job."""
        self._operate_job(which, "P", api.operations.withdraw_job)

    @rule(which=WHICH, priority=st.integers(-2, 2))
    def prioritize_job(self, which: int, priority: int) -> None:
        """Change the priority of a job."""
        self._operate_job(
            which,
            "P",
            lambda wid, job, reason, conn: api.operations.prioritize_job(
                wid, job, priority, reason, conn=conn
            ),
        )

    @rule(which=WHICH, to=st.sampled_from(WORKERS))
    def reassign_job(self, which: int, to: str) -> None:
        """Assign a job to a worker, or give it back to all; from then on no other takes it."""
        self._operate_job(
            which,
            "P",
            lambda wid, job, reason, conn: api.operations.reassign_job(wid, job, to, reason, conn=conn),
        )
        names = [row[0] for row in self.control.execute("select distinct trname from wedsql.job_pool")]
        assigned = {row[0] for row in self.control.execute(ASSIGNED, [WORKERS[-1]])}
        for flow in FLOWS:
            with self.conn.transaction(force_rollback=True):
                found = api.jobs.take_many(flow, names, 1000, actor=WORKERS[-1], conn=self.conn)
            if wrong := assigned & {job.id for job in found}:
                raise Violation("taken by another worker", wrong)

    def _operate_job(self, which: int, state: str, operation: Any) -> None:
        """Call an operation on a job, preferably one in this state; others may be rejected."""
        row = self.some(which, JOBS, list(FLOWS), state)
        if row is not None:
            with self.accepts("WD105", "WD203", "WD212"):
                operation(*row, REASON, conn=self.admin)

    @rule(operation=st.sampled_from(BULK), status=st.sampled_from("RESF"), slice_size=st.integers(1, 5))
    def bulk(self, operation: str, status: str, slice_size: int) -> None:
        """Request an operation on every instance of a status, and perform it in slices."""
        wids = [row[0] for row in self.control.execute(LIVING, [list(FLOWS), [status]]).fetchall()]
        if not wids:
            return
        to: dict[str, Any] = {"priority": {"priority": 1}, "reassign": {"assignee": WORKERS[status == "S"]}}
        request = BulkRequest(operation, REASON, **to.get(operation, {}))
        bulk = api.bulk.request(request, wids, expected=len(wids), conn=self.admin)
        for _ in range(len(wids) + 1):
            if api.bulk.continue_bulk(slice_size, conn=self.admin) is None:
                break
        found = api.bulk.read(bulk.id, conn=self.admin)
        if (found.state, found.left) != ("finished", 0):
            raise Violation("a bulk operation did not end", found)
