"""Rules for exceptions and ended instances: repair, withdraw, re-match, cancel, retire."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from flows import api
from flows.tests.model import families
from flows.tests.model.base import FLOW, WHICH, BaseMachine, Violation
from flows.types import Completion

OPEN = """
    select i.wid, f.name from wedsql.instance i join wedsql.flow f on f.id = i.flow_id
    where i.status = any (%s) order by 1"""
EXCEPTIONS = """
    select i.wid, j.id
    from wedsql.instance i join wedsql.job_pool j using (wid) join wedsql.flow f on f.id = i.flow_id
    where f.name = %s and i.status = 'E' and j.tgid = 0 and j.state = 'P'
      and (j.not_before is null or j.not_before <= wedsql.now()) order by 1"""
WITHDRAWN = """
    select count(*) from wedsql.instance i join wedsql.flow f on f.id = i.flow_id
    where f.name = %s and i.status = 'E' and i.reason = 'WITHDRAWN'"""


class Repair(BaseMachine):
    """The exception desk of the kernel."""

    @rule(flow=FLOW, which=WHICH, changes=families.states)
    def repair(self, flow: str, which: int, changes: dict[str, Any]) -> None:
        """Write a state through an _EXCPT job."""
        self._repair(flow, self.some(which, EXCEPTIONS, flow), changes)

    @rule(flow=FLOW, which=WHICH, changes=families.states)
    def repair_loop(self, flow: str, which: int, changes: dict[str, Any]) -> None:
        """Repair an instance that was parked because of its firing limit: it may fire as often again."""
        row = self.some(
            which, EXCEPTIONS.replace("order by", "and i.reason in ('LOOP', 'NO_PROGRESS') order by"), flow
        )
        seq = self._repair(flow, row, changes)
        query = "select id, trname from wedsql.job_pool where wid = %s and state = 'K' and cause_seq = %s"
        if seq is not None and (job := self.one(query, row[0], seq)):
            raise Violation("repaired and parked at once", (row, job))

    def _repair(self, flow: str, row: Any, changes: dict[str, Any]) -> int | None:
        """Complete the _EXCPT job; return the seq of the result in the history, if it was accepted."""
        if row is None:
            return None
        wid, number = row
        written = self.values(flow, changes)
        with self.conn.transaction():
            jobs = api.jobs.take_many(flow, ["_EXCPT"], 1, job_ids=[number], conn=self.conn)
            results = api.jobs.complete_many(flow, [Completion(job, written) for job in jobs], conn=self.conn)
        for result in results:
            if not result.ok and (result.error is None or result.error.code not in {"WD103", "WD106"}):
                raise Violation("a repair was refused", result)
            if result.ok:
                self.applied(number, wid, result.seq, None, written)
                return result.seq
        return None

    @rule(flow=FLOW)
    def rematch(self, flow: str) -> None:
        """Evaluate the conditions again: only the jobs that a person withdrew may be missing."""
        withdrawn = self.one(WITHDRAWN, flow)[0]
        with self.accepts("WD106"):
            report = api.instances.rematch(flow, conn=self.admin)
            if report["left_exception"] > withdrawn or report["new_exception"]:
                raise Violation("a re-match was overdue", report)

    @rule(flow=FLOW, which=WHICH)
    def withdraw(self, flow: str, which: int) -> None:
        """Withdraw the jobs of one trigger, often of one with parked jobs."""
        query = """
            select j.tgid from wedsql.job_pool j join wedsql.flow f on f.id = j.flow_id
            where f.name = %s and j.tgid > 0 and (j.state = 'K' or %s) order by j.wid, j.id"""
        row = self.some(which, query, flow, which % 2 == 0)
        if row is not None:
            with self.accepts("WD106"):
                self.admin.execute("select wedsql.withdraw(%s, %s)", [flow, row[0]])

    @rule(which=WHICH)
    def cancel(self, which: int) -> None:
        """Cancel one of the open instances."""
        row = self.some(which, OPEN, ["R", "E"])
        if row is not None and which < 5:
            api.instances.cancel(row[0], "model", conn=self.admin)

    @rule(flow=FLOW)
    def retire(self, flow: str) -> None:
        """Remove every instance whose retention time is over."""
        wids = [row[0] for row in self.control.execute("select wid from wedsql.instance").fetchall()]
        self.admin.execute("select wedsql.retire(%s, %s)", [flow, wids])
        left = {row[0] for row in self.control.execute("select wid from wedsql.instance").fetchall()}
        self.forget([wid for wid in wids if wid not in left])


class Settings(BaseMachine):
    """A session with arbitrary settings made by its client."""

    @rule(
        name_value=st.sampled_from(
            [
                ("TimeZone", "Pacific/Kiritimati"),
                ("TimeZone", "America/New_York"),
                ("IntervalStyle", "sql_standard"),
                ("IntervalStyle", "iso_8601"),
                ("DateStyle", "German"),
                ("DateStyle", "SQL, DMY"),
                ("transform_null_equals", "on"),
                ("extra_float_digits", "-15"),
                ("standard_conforming_strings", "off"),
                ("default_transaction_isolation", "repeatable read"),
                ("search_path", "pg_temp"),
            ]
        )
    )
    def change_setting(self, name_value: tuple[str, str]) -> None:
        """Change one setting of the session that defines, reaps and repairs."""
        name, value = name_value
        for session in (self.admin, *self.paper.values()):
            if session is self.admin or name != "search_path":
                session.execute("select set_config(%s, %s, false)", [name, value])
        self.settings[name] = value

    @rule()
    def reset_settings(self) -> None:
        """Reset all changed settings."""
        for name in self.settings:
            for session in (self.admin, *self.paper.values()):
                if session is self.admin or name != "search_path":
                    session.execute(f"reset {name}")
        self.settings = {}
