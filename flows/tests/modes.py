"""The ways to take and complete a job, with one interface, so that a test of the kernel runs in each of them
(`pytest --mode=all`).

`single`: one job, taken and completed in one transaction. `batch`: taken and completed with jobs of other
instances. `held`: held by the session, completed in a separate transaction. `lease`: claimed with a token.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from psycopg.pq import TransactionStatus

from flows import api, json_text
from flows.engine import connection
from flows.errors import WedError
from flows.types import ClaimedJob, Completion, StepResult

if TYPE_CHECKING:
    from flows.tests.kit import Kit

Connection = psycopg.Connection[Any]
UNKNOWN_WID = 2_000_000_000
# Errors that depend on the job or its holder, not on the result: completing it again gives the same error.
NOT_THE_RESULT = {"WD102", "WD104", "WD105", "WD201", "WD203", "WD204", "WD205", "40001", "40P01", "55P03"}


class Single:
    """One job per transaction: taken, completed, committed."""

    def __init__(self, kit: Kit) -> None:
        self.kit = kit

    def step(self, conn: Connection) -> AbstractContextManager[Any]:
        """Return the context for taking and completing a job: a transaction, if the mode needs one."""
        return conn.transaction()

    def take(self, conn: Connection, transition: str, wid: int | None) -> ClaimedJob | None:
        """Return a ready job of the transition (of one instance), held as the mode does."""
        ids = self.ids(conn, transition, wid)
        found = api.jobs.take_many(self.kit.name, [transition], 1, job_ids=ids, conn=conn)
        return found[0] if found else None

    def complete(self, conn: Connection, done: Completion, actor: str) -> StepResult:
        """Complete the job. Raises the error with which it is rejected."""
        return api.jobs.complete(done.job, done.changes, set_text=done.set_text, actor=actor, conn=conn)

    def ids(self, conn: Connection, transition: str, wid: int | None) -> list[int] | None:
        """Return the ids of the instance's jobs of the transition, None for all instances."""
        query = "select id from wedsql.job_pool where wid = %s and trname = %s"
        return None if wid is None else [row.id for row in self.kit.rows(query, (wid, transition), conn)]


class Lease(Single):
    """A token instead of a lock; no transaction is open while the job is performed."""

    leased: ClaimedJob | None = None

    @contextmanager
    def step(self, conn: Connection) -> Iterator[None]:
        """Release the job if the block fails, as a rollback would."""
        try:
            yield
        except WedError:
            if self.leased:
                with suppress(WedError):  # the lease may have ended
                    api.jobs.release(self.leased, conn=conn)
            raise

    def take(self, conn: Connection, transition: str, wid: int | None) -> ClaimedJob | None:
        ids = self.ids(conn, transition, wid)
        found = api.jobs.lease_many(self.kit.name, [transition], 1, "tester", job_ids=ids, conn=conn)
        self.leased = found[0] if found else None
        return self.leased


class Held(Single):
    """A lock of the session, which may hold several jobs; each result is a separate commit."""

    def step(self, conn: Connection) -> AbstractContextManager[Any]:
        return nullcontext()

    def take(self, conn: Connection, transition: str, wid: int | None) -> ClaimedJob | None:
        """Hold all ready jobs and release those that the test did not request."""
        query = "select * from {f}.hold(%s, 1000, 'tester')"
        found = [
            ClaimedJob(row[0], self.kit.name, *row[1:]) for row in self.kit.rows(query, [[transition]], conn)
        ]
        mine = next((job for job in found if wid in (None, job.wid)), None)
        for job in found:
            if job is not mine:
                query = "select pg_advisory_unlock(%s, k) from unnest(array[-1, %s]) k"
                self.kit.rows(query, (job.wid, job.tgid), conn)
        return mine

    def complete(self, conn: Connection, done: Completion, actor: str) -> StepResult:
        """Complete the job; if that fails, assert that completing it separately, as workers do, fails too."""
        if done.job.claim is not None:
            return super().complete(conn, done, actor)
        try:
            with conn.transaction():
                return self._complete_held(conn, done, actor)
        except WedError as error:
            if error.code in NOT_THE_RESULT:
                raise
            with pytest.raises(WedError) as alone, conn.transaction():
                assert api.jobs.take_many(
                    done.job.flow, [done.job.transition], 1, job_ids=[done.job.id], conn=conn
                )
                super().complete(conn, done, actor)
            assert error.code in (alone.value.code, "23514")
            raise alone.value from error

    def _complete_held(self, conn: Connection, done: Completion, actor: str) -> StepResult:
        changes = None if done.set_text is not None else connection.JSON(done.changes or {})
        query = (
            f"select {connection.quoted(done.job.flow)}.complete_held(%s::integer, %s::bigint, %s, %s, %s)"
        )
        seq = connection.value(conn, query, (done.job.wid, done.job.id, changes, actor, done.set_text))
        query = "select status, trf from wedsql.wed_trace where wid = %s and seq = %s"
        (row,) = self.kit.rows(query, (done.job.wid, seq), conn)
        return StepResult(done.job.id, True, seq, row.status, row.trf)


class Batch(Single):
    """One of several: completed with a companion's job, and before that with one that does not exist."""

    def __init__(self, kit: Kit) -> None:
        super().__init__(kit)
        self.companions: dict[tuple[int, int], ClaimedJob] = {}

    def take(self, conn: Connection, transition: str, wid: int | None) -> ClaimedJob | None:
        """Take the job together with one of a new instance that starts with the same state."""
        if wid is None:
            offers = api.jobs.offer(self.kit.name, [transition], 1, conn=conn)
            wid = offers[0].wid if offers else UNKNOWN_WID
        other = self._begin(conn, wid)
        if other is None:
            return super().take(conn, transition, wid)
        theirs = self.kit.rows("select id, trname from wedsql.job_pool where wid = %s", [other], conn)
        names = {transition, *(job.trname for job in theirs)}
        ids = [*(self.ids(conn, transition, wid) or []), *(job.id for job in theirs)]
        found = {
            job.wid: job for job in api.jobs.take_many(self.kit.name, [*names], 2, job_ids=ids, conn=conn)
        }
        if wid in found and other in found:
            self.companions[found[wid].id, self._transaction(conn)] = found[other]
        else:
            self._forget(conn, other)
        return found.get(wid)

    def complete(self, conn: Connection, done: Completion, actor: str) -> StepResult:
        """Complete the jobs one by one, because one is rejected, then all at once; assert equal results."""
        unknown = Completion(done.job._replace(id=-1, wid=UNKNOWN_WID, claim=None))
        with conn.transaction():
            self._lock(conn, done.job.wid)  # so that no other session writes between the two
            companion = self.companions.pop((done.job.id, self._transaction(conn)), None)
            beside = [Completion(companion)] if companion and done.job.flow == companion.flow else []
            with conn.transaction(force_rollback=True):
                apart = self._outcome(conn, [done, *beside, unknown], actor)
            result, *seen = self._outcome(conn, [done, *beside], actor)
            if companion:
                self._forget(conn, companion.wid)
        assert _comparable(apart[0]) == _comparable(result) and apart[1:] == seen
        if result.error is not None:
            raise result.error
        return result  # type: ignore[no-any-return]

    def _outcome(self, conn: Connection, given: list[Completion], actor: str) -> list[Any]:
        """Return the first job's result and its instance's rows; assert that the companion wrote nothing."""
        answers = {
            one.job_id: one
            for one in api.jobs.complete_many(given[0].job.flow, given, actor=actor, conn=conn)
        }
        for other in given[1:]:
            why = answers[other.job.id].error
            assert (why and why.code) in (["WD104"] if other.job.wid == UNKNOWN_WID else [None, "WD204"]), (
                answers
            )
            if other.job.wid != UNKNOWN_WID:
                assert self._seen(conn, other.job.wid)["state"] == self._as_row(conn, other.job.state)
        return [answers[given[0].job.id], self._seen(conn, given[0].job.wid)]

    def _seen(self, conn: Connection, wid: int) -> Any:
        """Return the instance, its jobs and its last step, without numbers and times that always differ."""
        query = """
            select jsonb_build_object(
              'state', to_jsonb(w.*) - 'wid', 'status', i.status, 'reason', i.reason,
              'jobs', (select jsonb_agg(to_jsonb(j.*) - '{id,fired_at}'::text[] order by tgid)
                       from wedsql.job_pool j where j.wid = i.wid),
              'trace', (select to_jsonb(t.*) - 'tstmp' - case when t.replays_seq > 0 then 'job_id' else '' end
                        from wedsql.wed_trace t where (t.wid, t.seq) = (i.wid, i.seq)))
            from wedsql.instance i join {f}.wed_flow w using (wid) where wid = %s"""
        return self.kit.one(query, [wid], conn)

    def _as_row(self, conn: Connection, state: Any) -> Any:
        """Return a state as the session writes the row's: a moment is written in its time zone."""
        query = "select to_jsonb(jsonb_populate_record(null::{f}.wed_flow, %s::jsonb)) - 'wid'"
        return self.kit.one(query, [json_text.encode(state)], conn)

    def _transaction(self, conn: Connection) -> int:
        return int(self.kit.one("select txid_current()", conn=conn))

    def _lock(self, conn: Connection, wid: int) -> None:
        self.kit.rows("select from {f}.wed_flow where wid = %s for no key update", [wid], conn)

    def _begin(self, conn: Connection, wid: int) -> int | None:
        """Start an instance with the first state of this one; return None if that is not possible here."""
        if (
            conn.info.transaction_status != TransactionStatus.INTRANS
            or conn.info.user != self.kit.conn.info.user
        ):
            return None
        first = self.kit.one("select state from wedsql.wed_trace where (wid, seq) = (%s, 1)", [wid], conn)
        if first is None:
            return None
        return api.instances.start_many(self.kit.name, [first], actor="companion", conn=conn)[0].wid

    def _forget(self, conn: Connection, wid: int) -> None:
        """Delete all rows of the companion."""
        self.kit.rows("set local role wed_owner", conn=conn)
        for table in ("wed_trace", "job_log", "job_pool", "timer", "instance", "wed_flow"):
            schema = "{f}" if table == "wed_flow" else "wedsql"
            self.kit.rows(f"delete from {schema}.{table} where wid = %s", [wid], conn)
        self.kit.rows("reset role", conn=conn)


def _comparable(result: StepResult) -> tuple[Any, ...]:
    """Return the content of a result, in which errors are compared by texts and facts.

    A result that is kept as late gets a number that is never given twice.
    """
    why = result.error
    facts = {name: fact for name, fact in why.where.items() if name != "late"} if why else {}
    error = (why.code, why.message, why.hint, facts) if why else None
    return (result.ok, result.seq, result.status, result.fired, error)


BY_NAME: dict[str, type[Single]] = {"single": Single, "batch": Batch, "held": Held, "lease": Lease}
