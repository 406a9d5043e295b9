"""A state machine over flows.api: whatever is called in whatever order, the invariants hold after every
call.

The oracle for a result is simple: it is applied if and only if its instance is open and its claim is the
job's present one, or its session has it in hand, within its time; and each claim appears in the history once
at the most (RELIABILITY: fault 1, ABA included).
"""

from __future__ import annotations

import os
import uuid
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from psycopg.types.json import Jsonb

from flows import api
from flows.errors import WedError
from flows.tests.model import families
from flows.types import Job

pytestmark = [pytest.mark.kernel, pytest.mark.slow]
TRANSITIONS = ["tr_x", "tr_y", "tr_z", "_EXCPT"]
SERVED = st.sampled_from([TRANSITIONS, TRANSITIONS, ["tr_x"], ["tr_y"], ["_EXCPT"]])


SEVERAL = st.lists(families.states, min_size=1, max_size=3)


class Engine(RuleBasedStateMachine):
    """One random flow, its instances, the leases that somebody believes to hold, and the jobs that a session
    has or had in hand.
    """

    dsn: str
    leases = Bundle("leases")

    def __init__(self) -> None:
        super().__init__()
        self.conn = psycopg.connect(self.dsn, autocommit=True, prepare_threshold=None)
        self.worker = psycopg.connect(self.dsn, autocommit=True, prepare_threshold=None)
        self.hands: dict[tuple[int, int], bool] = {}
        self.held_at = 0
        self.flow = f"m_{uuid.uuid4().hex[:12]}"
        self.minutes = 0
        self.results = 0
        self.steps = 0
        api.create_flow(self.flow, conn=self.conn)

    def teardown(self) -> None:
        api.drop_flow(self.flow, force=True, conn=self.conn)
        self.conn.close()
        self.worker.close()

    def one(self, text: str, *params: Any) -> Any:
        """The first row of a statement."""
        return self.conn.execute(text, params).fetchone()

    @initialize(definition=families.definitions())
    def define(self, definition: dict[str, Any]) -> None:
        """Publish the first definition."""
        api.publish(self.flow, definition, conn=self.conn)
        firsts = [{"a": a, "b": b, "c": 1} for a in range(3) for b in range(3)]
        api.start_many(self.flow, firsts, conn=self.conn)

    @rule(state=families.states)
    def start(self, state: dict[str, int]) -> None:
        """Start an instance; a first state that fires nothing is refused."""
        try:
            api.start(self.flow, state, conn=self.conn)
        except WedError as error:
            assert error.code in {"WD101", "WD106"}, error

    @rule(served=SERVED, several=SEVERAL, commit=st.integers(0, 9))
    def step(self, served: list[str], several: list[dict[str, int]], commit: int) -> None:
        """Take and complete one or some in one transaction, which is now and then given up at its end."""
        with self.conn.transaction(force_rollback=not commit):
            jobs = {job.id: job for job in api.take_many(self.flow, served, len(several), conn=self.conn)}
            done = [api.Completion(*one) for one in zip(jobs.values(), several, strict=False)]
            results = api.complete_many(self.flow, done, conn=self.conn)
            assert {result.job_id for result in results} == set(jobs)
            refused = [(jobs[one.job_id], one.error) for one in results if one.error is not None]
            assert all(error.code in {"WD103", "WD210"} for _, error in refused), refused
        for job, error in refused if commit else []:
            self._fail(job, error.code)

    def _fail(self, job: Job, code: str) -> None:
        with self.conn.transaction():
            if api.take_many(self.flow, [job.transition], 1, job_ids=[job.id], conn=self.conn):
                api.fail(job, "refused", sqlstate=code, conn=self.conn)

    @rule(served=SERVED, limit=st.integers(0, 3), several=st.lists(families.states, max_size=2))
    def hold(self, served: list[str], limit: int, several: list[dict[str, int]]) -> None:
        """A session takes jobs in hand and completes some; what it had is let go, the rest stays."""
        self.hands = dict.fromkeys(self.hands, False)
        found = self._by_worker("select wid, job_id from {}.hold(%s, %s)", served, limit) or []
        self.hands |= dict.fromkeys(found, True)
        self.held_at = self.minutes
        for (wid, job), changes in zip(found, several, strict=False):
            self._finish(wid, job, changes)

    @precondition(lambda self: self.hands)
    @rule(which=st.integers(0, 20), changes=families.states)
    def complete_held(self, which: int, changes: dict[str, int]) -> None:
        """One result of those in hand, perhaps late, perhaps of one that was let go or is done."""
        self._finish(*list(self.hands)[-1 - which % len(self.hands)], changes)

    def _finish(self, wid: int, job: int, changes: dict[str, int]) -> None:
        valid = self.hands[wid, job] and self._in_time(job)
        try:
            done = self._by_worker("select {}.complete_held(%s, %s, %s)", wid, job, Jsonb(changes))
        except psycopg.Error as error:
            assert not valid or error.sqlstate in {"WD103", "WD210"}, error
        else:
            assert valid or done is None, "a result without a right was applied"
        self.hands[wid, job] = False

    def _in_time(self, job: int) -> bool:
        """Whether a result of this job in hand must be accepted."""
        query = """
            select 1 from wedsql.job_pool j join wedsql.instance i using (wid)
            where j.id = %s and j.state = 'P' and i.status in ('R', 'E')
              and coalesce(j.timeout > make_interval(mins => %s), true)"""
        return self.one(query, job, self.minutes - self.held_at) is not None

    def _by_worker(self, query: str, *params: Any) -> list[Any] | None:
        """Rows of a call by the session that holds jobs; None when the reaper ended it."""
        try:
            self.worker.execute("select set_config('wedsql.test_offset', %s, false)", [self._offset])
            return self.worker.execute(query.format(self.flow), params).fetchall()
        except psycopg.OperationalError:
            self.worker.close()
            self.worker = psycopg.connect(self.dsn, autocommit=True, prepare_threshold=None)
            self.hands = dict.fromkeys(self.hands, False)
            return None

    @rule(target=leases, served=SERVED, minutes=st.sampled_from([1, 5]))
    def lease(self, served: list[str], minutes: int) -> Job | None:
        """Claim a job; the lease may be forgotten, used, used late or used twice."""
        found = api.lease_many(
            self.flow, served, 1, "model", duration=timedelta(minutes=minutes), conn=self.conn
        )
        return found[0] if found else None

    @rule(job=leases, changes=families.states)
    def complete(self, job: Job | None, changes: dict[str, int]) -> None:
        """Hand in a result, perhaps late, perhaps for the second time."""
        if job is None:
            return
        valid = self._holds(job)
        applied = self.one("select seq from wedsql.wed_trace where claim = %s", job.claim)
        result = api.complete_many(self.flow, [api.Completion(job, changes)], conn=self.conn)[0]
        if result.ok:
            assert valid or (applied and applied[0] == result.seq), "a result without a right was applied"
            self.results += valid
        else:
            assert result.error is not None
            assert not valid or result.error.code in {"WD103", "WD210"}, result.error
        assert self.one("select count(*) from wedsql.wed_trace where claim = %s", job.claim)[0] <= 1

    def _holds(self, job: Job) -> bool:
        """Whether a result of this lease must be accepted."""
        query = """
            select 1 from wedsql.job_pool j join wedsql.instance i using (wid)
            where j.id = %s and j.claim = %s and j.lease_until > wedsql.now() and j.state = 'L'
              and i.status in ('R', 'E')"""
        return self.one(query, job.id, job.claim) is not None

    @rule(target=leases, job=leases, changes=families.states)
    def overtake(self, job: Job | None, changes: dict[str, int]) -> Job | None:
        """The lease runs out, is reaped, and another takes the job; the old holder comes all the same."""
        if job is None:
            return None
        self.late(job, changes)
        api.reap(conn=self.conn)
        self.tick(1)
        found = api.lease_many(self.flow, [job.transition], 1, "other", job_ids=[job.id], conn=self.conn)
        self.complete(job, changes)
        return found[0] if found else None

    @rule(job=leases, changes=families.states)
    def late(self, job: Job | None, changes: dict[str, int]) -> None:
        """Hand in a result long after the lease."""
        self.tick(6)
        self.complete(job, changes)

    @rule(job=consumes(leases), code=st.sampled_from(["", "P0001", "WD103"]))
    def fail(self, job: Job | None, code: str) -> None:
        """Report a failed attempt; it counts only for the present claim."""
        if job is None:
            return
        row = self.one("select claim from wedsql.job_pool where id = %s and state <> 'K'", job.id)
        answer = api.fail(job, "no", sqlstate=code, conn=self.conn)
        assert (answer is not None) == (row is not None and row[0] == job.claim)

    @rule(job=leases, longer=st.booleans())
    def keep_or_return(self, job: Job | None, longer: bool) -> None:
        """Extend or release; refused exactly when the lease is not held."""
        if job is None:
            return
        query = "select 1 from wedsql.job_pool where (id, claim) = (%s, %s) and lease_until > wedsql.now()"
        held = self.one(query, job.id, job.claim)
        try:
            if longer:
                api.extend(job, timedelta(minutes=3), conn=self.conn)
            else:
                api.release(job, conn=self.conn)
        except WedError as error:
            assert not held and error.code in {"WD203", "WD204", "WD205"}, error
        else:
            assert held

    @rule(minutes=st.sampled_from([1, 2, 6, 12]))
    def tick(self, minutes: int) -> None:
        """Let time pass."""
        self.minutes += minutes
        self.one("select set_config('wedsql.test_offset', %s, false)", self._offset)

    @property
    def _offset(self) -> str:
        return f"{self.minutes} minutes"

    @rule(limit=st.sampled_from([1, 100]))
    def reap(self, limit: int) -> None:
        """One round of the reaper."""
        api.reap(limit, conn=self.conn)

    @rule(which=st.integers(0, 20))
    def cancel(self, which: int) -> None:
        """Cancel one of the open instances; mostly there is none of that number."""
        row = self.one(
            "select i.wid from wedsql.instance i join wedsql.flow f on f.id = i.flow_id"
            " where f.name = %s and i.status in ('R', 'E') order by 1 offset %s limit 1",
            self.flow,
            which,
        )
        if row:
            api.cancel(row[0], "model", conn=self.conn)

    @precondition(lambda self: self.steps % 6 == 0)
    @rule(definition=families.definitions(), dry=st.booleans(), reopen=st.booleans())
    def publish(self, definition: dict[str, Any], dry: bool, reopen: bool) -> None:
        """Publish another definition under living instances; a dry run tells and changes nothing."""
        before = self._picture() if dry else None
        api.publish(self.flow, definition, dry_run=dry, reopen_final=reopen, conn=self.conn)
        assert before is None or self._picture() == before

    def _picture(self) -> Any:
        return self.one(
            "select (select array_agg(i order by i.wid) from wedsql.instance i)::text,"
            " (select array_agg(j order by j.id) from wedsql.job_pool j)::text,"
            " (select array_agg(t order by t.tgid) from wedsql.trig t)::text,"
            " (select count(*) from wedsql.wed_trace), (select count(*) from wedsql.job_log)"
        )

    @rule()
    def rematch(self) -> None:
        """Try the conditions again: nothing may follow that should have followed before."""
        report = api.rematch(self.flow, conn=self.conn)
        assert (report["left_exception"], report["new_exception"]) == (0, 0), report

    @invariant()
    def invariants(self) -> None:
        """Everything that is true between any two commits."""
        self.steps += 1
        broken = self.conn.execute("select name, example from wedsql.invariants() where not ok").fetchall()
        assert not broken, broken


def test_any_order_of_calls_keeps_the_invariants(dsn: str) -> None:
    Engine.dsn = dsn
    run_state_machine_as_test(
        Engine,
        settings=settings(
            max_examples=50,
            stateful_step_count=30,
            deadline=None,
            database=None,
            print_blob=True,
            phases=[Phase.generate, Phase.shrink] if os.environ.get("WEDSQL_SHRINK") else [Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )
