"""Rules of clients of the paper's protocol: an advisory lock, an UPDATE of wed_flow, a COMMIT."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule
from psycopg import sql

from flows import api
from flows.tests.model import families, predicates
from flows.tests.model.base import FLOW, WHICH, BaseMachine, Connection, Violation

READY = """
    select j.wid, j.tgid, j.id, coalesce(j.timeout < %s * interval '1 minute', false), t.revalidate, t.cpred,
      j.assigned_to
    from wedsql.job_pool j join wedsql.flow f on f.id = j.flow_id left join wedsql.trig t on t.tgid = j.tgid
    where f.name = %s and j.state = 'P' order by j.wid, j.tgid"""
REFUSED = ("WD103", "WD106", "WD203", "WD205", "WD210", "WD102", "WD213")
LATE = 10  # minutes from an update to its commit


class Paper(BaseMachine):
    """Clients of the paper's protocol, with the role of their flow."""

    @rule(flow=FLOW, state=families.states)
    def insert(self, flow: str, state: dict[str, Any]) -> None:
        """Start an instance by a plain INSERT."""
        values = self.values(flow, state)
        if not values or self.one("select count(*) from wedsql.instance")[0] >= 25:
            return
        text = sql.SQL("insert into wed_flow ({}) values ({})").format(
            sql.SQL(", ").join(map(sql.Identifier, values)),
            sql.SQL(", ").join(sql.Placeholder() * len(values)),
        )
        with self.accepts("WD101", "WD106"):
            self.paper[flow].execute(text, list(values.values()))

    @rule(flow=FLOW, which=WHICH, changes=families.states, end=st.sampled_from(["commit"] * 4 + ["no"]))
    def paper_step(self, flow: str, which: int, changes: dict[str, Any], end: str) -> None:
        """Lock a job, update its instance, and commit or roll back."""
        self._paper(flow, which, changes, end)

    @rule(flow=FLOW, which=WHICH, changes=families.states)
    def paper_late(self, flow: str, which: int, changes: dict[str, Any]) -> None:
        """Lock a job, update its instance in time, and commit long after."""
        self._paper(flow, which, changes, "late")

    def _paper(self, flow: str, which: int, changes: dict[str, Any], end: str) -> None:
        job = self.some(which, READY, LATE, flow)
        values = self.values(flow, changes)
        if job is None or not values:
            return
        wid, tgid, number, short, revalidate, predicate, assigned_to = job
        self._clock_is_known()
        stale = revalidate == "at_take" and not self._true(flow, wid, predicate)
        paper = self.paper[flow]
        with (
            self.accepts(*REFUSED, *["WD204"] * (end == "late" and short)) as refused,
            paper.transaction(force_rollback=end == "no"),
        ):
            if not _locked(paper, wid, tgid):
                return
            paper.execute(_update(values, [wid]), list(values.values()))
            if end == "late":
                self.pass_time(LATE)
        for session in self.sessions:
            if not session.closed:
                self.set_clock(session)
        if refused and end == "commit":
            self._acted_on(flow, job, refused[0].code)
        if refused or end == "no":
            return
        if end == "late" and short:
            raise Violation("late commit of an update", job)
        if stale or assigned_to is not None:
            raise Violation(f"{'stale job' if stale else 'job of another worker'} by an update", job)
        self._applied_by_paper(number, wid, values)

    def _acted_on(self, flow: str, job: Any, code: str | None) -> None:
        """Check that the reaper acts on a permanent rejection, though the client's rollback undid it all."""
        with self.accepts(what="round ended by"):
            api.maintenance.reap(conn=self.control)
        left = self.one("select state, last_state from wedsql.job_pool where id = %s", job[2])
        failed = "select 1 from wedsql.trouble where kind = 'refused' and wid = %s"
        if left is None or left[0] != "P" or self.one(failed, job[0]):
            return
        if code == "WD205" and job[4] == "at_take" and not self._true(flow, job[0], job[5]):
            raise Violation("a stale job stays", job)
        if code == "WD103" and left[1] != "WD103":
            raise Violation("a refusal is forgotten", job)

    def _true(self, flow: str, wid: int, predicate: str) -> bool:
        query = sql.SQL("select to_jsonb(w) from {}.wed_flow w where wid = %s").format(sql.Identifier(flow))
        state = self.control.execute(query, [wid]).fetchone()
        assert state is not None
        return not predicates.fails(predicate, state[0]) and predicates.holds(predicate, state[0])

    @rule(flow=FLOW, which=WHICH)
    def two_at_once(self, flow: str, which: int) -> None:
        """Lock jobs of two instances and update both by one statement, which is rejected."""
        first, other = self.some(which, READY, LATE, flow), self.some(which + 1, READY, LATE, flow)
        if first is None or first[0] == other[0]:
            return
        self._clock_is_known()
        values = self.values(flow, {"a": 1})
        paper = self.paper[flow]
        with self.accepts(*REFUSED, "WD202", "WD206") as refused, paper.transaction():
            if not (_locked(paper, *first[:2]) and _locked(paper, *other[:2])):
                return
            paper.execute(_update(values, [first[0], other[0]]), list(values.values()))
        if not refused:
            raise Violation("one update over two instances", (first, other))

    def _clock_is_known(self) -> None:
        """Make the reaper record the clock: the time of a paper client counts from its last record."""
        with self.accepts(what="round ended by"):
            api.maintenance.reap(conn=self.control)

    def _applied_by_paper(self, number: int, wid: int, values: dict[str, Any]) -> None:
        row = self.one("select seq from wedsql.wed_trace where wid = %s and job_id = %s", wid, number)
        if row is None:
            raise Violation("an update without history", (number, wid))
        self.applied(number, wid, row[0], None, values)


def _locked(paper: Connection, wid: int, tgid: int) -> bool:
    row = paper.execute("select pg_try_advisory_xact_lock(%s, %s)", [wid, tgid]).fetchone()
    return row is not None and row[0]


def _update(values: dict[str, Any], wids: list[int]) -> sql.Composed:
    return sql.SQL("update wed_flow set {} where wid in ({})").format(
        sql.SQL(", ").join(sql.SQL("{} = %s").format(sql.Identifier(name)) for name in values),
        sql.SQL(", ").join(map(sql.Literal, wids)),
    )
