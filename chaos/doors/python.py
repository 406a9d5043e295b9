"""The public API as a program calls it: every function with hostile arguments."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from chaos import hostile
from chaos.doors.door import BASE, FLOW, Stage
from flows import api
from flows.types import ClaimedJob, Failure


class ApiDoor:
    """Each method makes one call; it returns 'accepted' or raises the error."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.dice = stage.dice

    def start(self) -> str:
        key = self.dice.choice([None, hostile.text(self.dice)[:50]])
        known = key is not None and self._known(key)
        actor = hostile.text(self.dice)[:30]
        api.start(FLOW, hostile.state(self.dice), actor=actor, key=key, conn=self.stage.conn)
        self.stage.accepted += not known
        return "accepted"

    def _known(self, key: str) -> bool:
        return hostile.storable(key) and bool(
            self.stage.count("select count(*) from wedsql.instance where key = %s", key)
        )

    def complete(self) -> str:
        """Send a hostile result for a leased job; release the job if the result is rejected."""
        jobs = api.lease_many(FLOW, ["tr_door"], 1, "intruder", conn=self.stage.conn)
        if not jobs:
            return "no job"
        try:
            if self.dice.random() < 0.5:
                api.complete(jobs[0], hostile.state(self.dice), conn=self.stage.conn)
            else:
                api.complete(jobs[0], set_text=f"a = {hostile.text(self.dice)}", conn=self.stage.conn)
        except Exception:
            api.release(jobs[0], conn=self.stage.conn)
            raise
        self.stage.completed += 1
        return "accepted"

    def begin_one(self) -> None:
        """Ensure that there is a job that can be completed."""
        if not api.offer(FLOW, ["tr_door"], 1, conn=self.stage.conn):
            self.stage.restore()
            api.start(FLOW, {}, conn=self.stage.conn)
            self.stage.accepted += 1

    def publish(self) -> str:
        api.publish(FLOW, hostile.definition(self.dice, BASE), conn=self.stage.conn)
        return "accepted"

    def predicate(self) -> str:
        api.check_predicate(FLOW, hostile.text(self.dice), conn=self.stage.conn)
        return "accepted"

    def calls(self) -> str:
        """Call any other function, with numbers beyond every range and texts as names."""
        text, number, conn = hostile.text(self.dice), hostile.number(self.dice), self.stage.conn
        job, while_ = self._job(), timedelta(seconds=max(-(10**9), min(number, 10**9)))
        call: Any = self.dice.choice([
            lambda: api.cancel(number, text, conn=conn),
            lambda: api.extend(job, while_, conn=conn),
            lambda: api.release(job, actor=text, conn=conn),
            lambda: api.complete(job, {}, actor=text, conn=conn),
            lambda: api.fail_many(FLOW, [Failure(job, text)], outcome=text, actor=text, conn=conn),
            lambda: api.create_flow(text[:70], label=text, conn=conn),
            lambda: api.create_flow("fresh", final_when_pending=text, conn=conn),
            lambda: api.drop_flow(text, conn=conn),
            lambda: api.definition(text, conn=conn),
            lambda: api.start(text, {}, conn=conn),
            lambda: api.rematch(FLOW, [number], reason=text, conn=conn),
            lambda: api.rematch(text, conn=conn),
            lambda: api.offer(FLOW, [text], number, exclude=[number], conn=conn),
            lambda: api.take_many(FLOW, [text], number, job_ids=[number], conn=conn),
            lambda: api.lease_many(FLOW, [text], number, text, duration=while_, job_ids=[number], conn=conn),
            lambda: api.lease_many(text, ["tr_door"], 1, text, conn=conn),
            lambda: api.publish(FLOW, self._shape(), actor=text, reason=text, dry_run=True, conn=conn),
        ])  # fmt: skip
        flows = self._flows()
        call()
        return "done" if flows == self._flows() else "accepted"

    def _flows(self) -> int:
        """Return the number of flows; a text may happen to be a valid name."""
        return self.stage.count("select count(*) from wedsql.flow")

    def _shape(self) -> Any:
        """Return something that is no definition."""
        return self.dice.choice([hostile.value(self.dice), {"attributes": hostile.value(self.dice)}, {}])

    def _job(self) -> ClaimedJob:
        """Return a job that was never handed out: nothing may change by it."""
        job, wid, tgid, claim = (hostile.number(self.dice) for _ in range(4))
        return ClaimedJob(
            job, FLOW, wid, tgid, "tr_door", claim, {}, {}, [], None, None, 0, None, None, 1, "lease"
        )
