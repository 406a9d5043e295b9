"""The public API as a program calls it: every function with hostile arguments."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from hypothesis import strategies as st

from chaos import hostile
from chaos.interfaces.target import BASE, FLOW, Target
from flows import api
from flows.types import ClaimedJob, Failure

_SHORT = hostile.TEXT.map(lambda text: text[:50])
_DEFINITION = hostile.definitions(BASE)
_SHAPE = hostile.VALUE | st.fixed_dictionaries({}, optional={"attributes": hostile.VALUE})  # no definition


class ApiAttacks:
    """Each method makes one call; it returns 'accepted' or raises the error."""

    def __init__(self, target: Target) -> None:
        self.target = target

    def draw(self, strategy: Any) -> Any:
        return self.target.draw(strategy)

    def start(self) -> str:
        key, actor, state = self.draw(st.none() | _SHORT), self.draw(_SHORT), self.draw(hostile.STATE)
        known = key is not None and self._known(key)
        api.instances.start(FLOW, state, actor=actor, key=key, conn=self.target.conn)
        self.target.accepted += not known
        return "accepted"

    def _known(self, key: str) -> bool:
        return hostile.storable(key) and bool(
            self.target.count("select count(*) from wedsql.instance where key = %s", key)
        )

    def complete(self) -> str:
        """Send a hostile result for a leased job; release the job if the result is rejected."""
        result = self.draw(hostile.STATE | hostile.TEXT)
        jobs = api.jobs.lease_many(FLOW, ["tr_attacked"], 1, "intruder", conn=self.target.conn)
        if not jobs:
            return "no job"
        try:
            if isinstance(result, dict):
                api.jobs.complete(jobs[0], result, conn=self.target.conn)
            else:
                api.jobs.complete(jobs[0], set_text=f"a = {result}", conn=self.target.conn)
        except Exception:
            api.jobs.release(jobs[0], conn=self.target.conn)
            raise
        self.target.completed += 1
        return "accepted"

    def ensure_job(self) -> None:
        """Ensure that there is a job that can be completed."""
        if not api.jobs.offer(FLOW, ["tr_attacked"], 1, conn=self.target.conn):
            self.target.restore()
            api.instances.start(FLOW, {}, conn=self.target.conn)
            self.target.accepted += 1

    def publish(self) -> str:
        api.flows.publish(FLOW, self.draw(_DEFINITION), conn=self.target.conn)
        return "accepted"

    def predicate(self) -> str:
        api.flows.check_predicate(FLOW, self.target.text(), conn=self.target.conn)
        return "accepted"

    def calls(self) -> str:
        """Call any other function, with numbers beyond every range and texts as names."""
        text, number, conn = self.target.text(), self.draw(hostile.NUMBER), self.target.conn
        job, while_ = self._job(), timedelta(seconds=max(-(10**9), min(number, 10**9)))
        shape = self.draw(_SHAPE)
        call: Any = self.target.choose([
            lambda: api.instances.cancel(number, text, conn=conn),
            lambda: api.jobs.extend(job, while_, conn=conn),
            lambda: api.jobs.release(job, actor=text, conn=conn),
            lambda: api.jobs.complete(job, {}, actor=text, conn=conn),
            lambda: api.jobs.fail_many(FLOW, [Failure(job, text)], outcome=text, actor=text, conn=conn),
            lambda: api.flows.create(text[:70], label=text, conn=conn),
            lambda: api.flows.create("fresh", final_when_pending=text, conn=conn),
            lambda: api.flows.drop(text, conn=conn),
            lambda: api.flows.definition(text, conn=conn),
            lambda: api.instances.start(text, {}, conn=conn),
            lambda: api.instances.rematch(FLOW, [number], reason=text, conn=conn),
            lambda: api.instances.rematch(text, conn=conn),
            lambda: api.jobs.offer(FLOW, [text], number, exclude=[number], conn=conn),
            lambda: api.jobs.take_many(FLOW, [text], number, job_ids=[number], conn=conn),
            lambda: api.jobs.lease_many(
                FLOW, [text], number, text, duration=while_, job_ids=[number], conn=conn
            ),
            lambda: api.jobs.lease_many(text, ["tr_attacked"], 1, text, conn=conn),
            lambda: api.flows.publish(FLOW, shape, actor=text, reason=text, dry_run=True, conn=conn),
        ])  # fmt: skip
        flows, known = self._flows(), self._is_instance(number)
        call()
        return "done" if flows == self._flows() and not known else "accepted"

    def _is_instance(self, number: int) -> bool:
        """Return whether the number happens to be that of an instance, which a call may rightly change."""
        return abs(number) < 2**31 and bool(
            self.target.count("select count(*) from wedsql.instance where wid = %s", number)
        )

    def _flows(self) -> int:
        """Return the number of flows; a text may happen to be a valid name."""
        return self.target.count("select count(*) from wedsql.flow")

    def _job(self) -> ClaimedJob:
        """Return a job that was never handed out: nothing may change by it."""
        job, wid, tgid, claim = (self.draw(hostile.NUMBER) for _ in range(4))
        return ClaimedJob(
            job, FLOW, wid, tgid, "tr_attacked", claim, {}, {}, [], None, None, 0, None, None, 1, "lease"
        )
