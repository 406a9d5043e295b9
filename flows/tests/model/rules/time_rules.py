"""Rules of time: the clock moves forward and back, the reaper runs, and obstacles are in its way."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule
from psycopg import sql

from flows import api
from flows.tests.model import facts, predicates
from flows.tests.model.base import FLOWS, WHICH, WORKERS, Violation
from flows.tests.model.facts import Facts, Row
from flows.tests.model.family_audit import DEPTH
from flows.tests.model.rules.work_rules import Work

LONG = 3 * 24 * 60  # longer than any due time
BACKOFF = 2 * 60  # longer than any back-off
ROUNDS = 40
POISON = """
    create or replace function public.poison() returns trigger language plpgsql as
      $$ begin raise 'poisoned'; end $$;
    create trigger poison before insert on wedsql.wed_trace for each row when (new.wid = {0})
      execute function public.poison();
    create trigger poison before insert on wedsql.job_log for each row when (new.wid = {0})
      execute function public.poison()"""
ANTIDOTE = """
    drop trigger poison on wedsql.wed_trace; drop trigger poison on wedsql.job_log;
    delete from wedsql.trouble where message = 'poisoned'"""
# Instances with a job whose lock a job of another one has: only one of them can be taken at a time.
SAME_LOCK = """
    select distinct j.wid, other.wid
    from wedsql.job_pool j join wedsql.job_pool other on other.lock = j.lock and other.wid <> j.wid"""

# Instances that wait for their children, of which `Families.at_rest` checks that there are some, or for a
# person, who has the task or may take it.
CHILDREN = "select wid from wedsql.job_pool where assigned_to = '' and state in ('P', 'L')"
HELD = "select wid from wedsql.job_pool where assigned_to = '' and state = 'L'"


class Time(Work):
    """The reaper, and its criterion: nothing that is due is left over."""

    @rule(minutes=st.sampled_from([1, 2, 6, 12, 24 * 60]))
    def tick(self, minutes: int) -> None:
        """Let time pass."""
        self.pass_time(minutes)

    @rule(minutes=st.sampled_from([1, 7, 90]), before=st.booleans())
    def back(self, minutes: int, before: bool) -> None:
        """Set the clock back, with or without a round of the reaper before."""
        if before:
            self.reap(200)
        self.pass_time(-minutes)
        self.reap(200)

    @rule(limit=st.sampled_from([1, 200]))
    def reap(self, limit: int) -> None:
        """Run the reaper once; an unbounded round leaves nothing that is due."""
        before = self.moment()
        self.round(limit)
        if limit > 1:
            self._nothing_left(before, set())

    @rule(which=WHICH)
    def reap_beside_a_lock(self, which: int) -> None:
        """Lock an instance in another session; small rounds still process all the others."""
        row = self.some(
            which, "select i.wid, f.name from wedsql.instance i join wedsql.flow f on f.id = i.flow_id"
        )
        if row is None:
            return
        with self.locker.transaction(force_rollback=True):
            self.locker.execute(
                sql.SQL("select 1 from {}.wed_flow where wid = %s for update").format(sql.Identifier(row[1])),
                [row[0]],
            )
            before = self.moment()
            for _ in range(sum(len(jobs) for jobs in before.jobs.values()) + len(before.timers) + 3):
                self.round(1)
            self._nothing_left(before, {row[0]})

    @rule(which=WHICH)
    def reap_beside_a_poisoned(self, which: int) -> None:
        """Make every write of the reaper for one instance fail; the others are processed all the same."""
        row = self.some(which, "select wid from wedsql.instance where status in ('R', 'E') order by 1")
        if row is None:
            return
        self.control.execute(POISON.format(row[0]))
        try:
            before = self.moment()
            self.round(200)
            self._nothing_left(before, {row[0]})
        finally:
            self.control.execute(ANTIDOTE)

    @rule(flow=st.sampled_from(FLOWS))
    def reap_beside_a_locked_table(self, flow: str) -> None:
        """Lock a flow's whole table; the other flows are processed all the same."""
        with self.locker.transaction(force_rollback=True):
            self.locker.execute(sql.SQL("lock table {}.wed_flow").format(sql.Identifier(flow)))
            before = self.moment(tuple(name for name in FLOWS if name != flow))
            self.round(200)
            self._nothing_left(before, set())

    def round(self, limit: int) -> dict[str, Any]:
        """Run the reaper once; no error may end the round."""
        found: dict[str, Any] = {}
        with self.accepts(what="round ended by"):
            found = api.maintenance.reap(limit, conn=self.admin)
        return found

    @rule()
    def much_later(self) -> None:
        """Wait long and run enough rounds: no work is left to the reaper, and running instances have jobs."""
        self.drop_held()
        for minutes in (LONG, BACKOFF, *[1] * 2 * DEPTH):
            self.pass_time(minutes)
            self._come_to_rest()
        moment = self.moment()
        for kind, case in self.families.at_rest(moment, self._poisoned(moment)):
            raise Violation(kind, case)
        for flow in FLOWS:
            self._takeable(flow)

    def _come_to_rest(self) -> None:
        for _ in range(ROUNDS):
            done = any(value for value in self.round(200).values() if isinstance(value, int))
            if self.go_on(1) and not done:
                return
            self.go_on(ROUNDS)
        raise Violation("never at rest", f"{ROUNDS} rounds of the reaper")

    def _takeable(self, flow: str) -> None:
        """Check that every running instance has a job that can be taken, a timer, or waits for a lock."""
        names = [
            row[0]
            for row in self.control.execute(
                "select distinct trname from wedsql.trig where trname <> '_FINAL'"
            )
        ]
        running = (
            "select i.wid from wedsql.instance i join wedsql.flow f on f.id = i.flow_id"
            " where f.name = %s and i.status = %s"
        )
        for served, status in ((names, "R"), (["_EXCPT"], "E")):
            with self.conn.transaction(force_rollback=True):
                taken = self._taken(flow, served)
                left = {row[0] for row in self.conn.execute(running, [flow, status])} - taken
                query = "select wid from wedsql.timer where due_at > wedsql.now()"
                left -= {row[0] for row in self.conn.execute(query)} | self._poisoned(self.moment())
                left -= {row[0] for row in self.conn.execute(CHILDREN)}
                taken |= {row[0] for row in self.conn.execute(HELD)}
                left -= {wid for wid, holder in self.conn.execute(SAME_LOCK) if holder in taken}
            if left:
                raise Violation("waits for ever", f"{status} {left} of {flow}")

    def _taken(self, flow: str, served: list[str]) -> set[int]:
        """Take until nothing changes: where a stale job is dropped, the instance offers another one next."""
        found: set[int] = set()
        before: tuple[int, int] | None = None
        while before != (now := (len(found), self._jobs_left())):
            before = now
            for actor in WORKERS:
                more = api.jobs.take_many(flow, served, 1000, actor=actor, conn=self.conn)
                found |= {job.wid for job in more}
        return found

    def _jobs_left(self) -> int:
        row = self.conn.execute("select count(*) from wedsql.job_pool").fetchone()
        assert row is not None
        return int(row[0])

    def moment(self, names: tuple[str, ...] = FLOWS) -> Facts:
        """Read the tables."""
        return facts.read(self.control, names)

    def _nothing_left(self, before: Facts, locked: set[int]) -> None:
        """Check that what was due before the round is done, except what is locked or cannot be computed."""
        now = self.moment(tuple(flow["name"] for flow in before.flows.values()))
        excused = locked | self._poisoned(now) | {wid for wid, _ in self.held}
        due = [x for wid, x in _due(before) if wid not in excused]
        left = [x for wid, x in _due(now) if wid not in excused and x in due]
        if left:
            raise Violation("due and left over", left[0])

    def _poisoned(self, now: Facts) -> set[int]:
        """Return the instances on which a predicate with on_error "abort" fails."""
        return {
            wid
            for wid, instance in now.instances.items()
            for trigger in now.triggers_of(instance["flow_id"])
            if trigger["on_error"] == "abort" and predicates.fails(trigger["cpred"], now.states[wid])
        }


def _due(now: Facts) -> list[tuple[int, Row]]:
    """Return expired leases, due timers and overdue jobs of instances of these flows."""
    leases = [
        (wid, job)
        for wid in now.instances
        for job in now.jobs.get(wid, [])
        if job["state"] == "L" and facts.moment(job["lease_until"]) <= now.now
    ]
    timers = [
        (wid, timer)
        for wid in now.instances
        for timer in now.timers.get(wid, [])
        if facts.moment(timer["due_at"]) <= now.now
    ]
    return (
        leases
        + timers
        + [(wid, job) for wid in now.instances for job in now.jobs.get(wid, []) if _late(now, job)]
    )


def _late(now: Facts, job: Row) -> bool:
    """Return whether a job waits longer than its trigger allows, or twice as long if that was reported."""
    trigger = now.triggers.get(job["tgid"], {})
    seconds = float(trigger.get("pickup_seconds") or 1e10) * (2 if job["late"] else 1)
    if job["state"] != "P" or seconds > 1e9:
        return False
    since = max(facts.moment(job[name]) for name in ("fired_at", "not_before") if job[name])
    return since + timedelta(seconds=seconds) <= now.now
