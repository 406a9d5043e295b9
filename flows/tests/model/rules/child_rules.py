"""Rules for child instances: jobs that start them, what happens to trees, and the reaper that goes on."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule
from psycopg import sql

from flows import api
from flows.tests.model import families
from flows.tests.model.base import FLOW, START_REFUSED, WHICH, Violation
from flows.tests.model.family_audit import DEPTH
from flows.tests.model.rules.definition_rules import Defining
from flows.tests.model.rules.operate_rules import REASON
from flows.tests.model.rules.publish_rules import REFUSED
from flows.tests.model.rules.work_rules import Work
from flows.types import Completion
from testkit.api_functions import functions as api_functions

LIMIT = "create or replace function wedsql.child_depth_limit() returns integer language sql immutable" \
    " set search_path = pg_catalog, pg_temp as $$ select {} $$"  # fmt: skip
PARENTS = "a = 3"  # of no other state: only instances that a rule or a job starts so have children
PERMANENT = {"trname": "tr_w", "cpred": PARENTS, "max_firings": 2, "timeout": "5 minutes"}
SETS = [["a = 1", "c = 1"], ["a = 2", "b = child_number"], ["a = 3", "c = 0"], ["c = children"], None]
RESULTS = [["a = 1", "b = children_done", "c = children_failed"], ["b = children_done"],
           ["a = 2", "b = 2", "c = children_failed"]]  # fmt: skip
CHILDREN = st.fixed_dictionaries({
    "child": FLOW,
    "child_count": st.sampled_from([None, "2", "least(c, 2)", "3 - a"]),
    "child_set": st.sampled_from(SETS),
    "child_wait": st.sampled_from([None, None, "0", "1", "children / 2"]),
    "child_rest": st.sampled_from(["leave", "cancel"]),
    "child_exception": st.sampled_from(["wait", "fail"]),
    "child_errors": st.sampled_from([None, ["X"]]),
    "child_result": st.sampled_from(RESULTS),
})  # fmt: skip
# Members of trees: those with a job that waits for children first, or the children first.
MEMBERS = """
    select i.wid, i.status from wedsql.instance i
    where i.status in ('R', 'E', 'S')
      and (exists (select 1 from wedsql.child c where c.wid = i.wid and c.state in ('O', 'X'))
           or exists (select 1 from wedsql.child_job c where c.parent_wid = i.wid and c.ended_at is null))
    order by (i.parent_wid is null) = %s desc, (i.status = %s) desc, i.wid limit 6"""
WAITING = """
    select c.parent_wid, c.job_id from wedsql.child_job c join wedsql.job_pool j
    on j.wid = c.parent_wid and j.id = c.job_id order by c.parent_wid, c.job_id"""
TAKEN = """
    select f.name, j.id, j.trname from wedsql.child c join wedsql.job_pool j on j.wid = c.wid
    join wedsql.flow f on f.id = j.flow_id
    where c.state in ('O', 'X') and j.state = 'P' and j.assigned_to is null order by j.wid, j.id limit 12"""
FINAL = {"a": 2, "b": 2, "c": 2}


class Children(Work, Defining):
    """The author of flows with children, the operators of their trees, and the reaper."""

    def __init__(self) -> None:
        super().__init__()
        self.control.execute(LIMIT.format(DEPTH))

    @rule(flow=FLOW, options=CHILDREN, several=st.integers(1, 2), rounds=st.integers(0, 6))
    def start_children(self, flow: str, options: dict[str, Any], several: int, rounds: int) -> None:
        """Let a flow start children, or others than before, and start instances that have some."""
        if self.one("select count(*) from wedsql.instance")[0] >= 25:
            return
        row = self.one("select t.tgid from wedsql.trig t join wedsql.flow f on f.id = t.flow_id"
                       " where f.name = %s and t.child is not null", flow)  # fmt: skip
        with self.accepts(*REFUSED):
            self._define(flow, options, row[0] if row else None)
        for _ in range(several):
            with self.accepts(*START_REFUSED):
                api.instances.start(flow, self.values(flow, {"a": 3, "c": 1}), conn=self.admin)
        self.go_on(rounds, 500)

    def _define(self, flow: str, options: dict[str, Any], tgid: int | None) -> None:
        """Write the options of the trigger that starts children, which is new if there is none."""
        row = options if tgid else PERMANENT | options
        names = sql.SQL(", ").join(map(sql.Identifier, row))
        values = sql.SQL(", ").join(sql.Placeholder() * len(row))
        text = "update {}.wed_trig set ({}) = row({}) where tgid = %s" if tgid else \
            "insert into {}.wed_trig ({}) values ({})"  # fmt: skip
        given = [*row.values(), *([tgid] if tgid else [])]
        self.admin.execute(sql.SQL(text).format(sql.Identifier(flow), names, values), given)

    @rule(rounds=st.integers(1, 8), size=st.sampled_from([1, 500, 500]), minutes=st.sampled_from([0, 0, 1]))
    def continue_children(self, rounds: int, size: int, minutes: int) -> None:
        """Let the reaper go on with some jobs that start children."""
        self.pass_time(minutes)
        self.go_on(rounds, size)

    @rule(which=WHICH, several=st.integers(1, 2))
    def add_children(self, which: int, several: int) -> None:
        """Add children to a job that waits for some."""
        row = self.some(which, WAITING)
        if row is None:
            return
        before = self.one("select total from wedsql.child_job where (parent_wid, job_id) = (%s, %s)", *row)[0]
        with self.accepts("WD105", "WD580", "WD002", "WD005", "WD006", what="no more children:") as refused:
            total = api.children.add(row[0], row[1], several, conn=self.admin)
        if not refused and before is not None and total != before + several:
            raise Violation("another number of children", (row, before, several, total))

    @rule(
        which=WHICH, above=st.booleans(),
        operation=st.sampled_from(["suspend", "suspend", "resume", "resume", "cancel", "abort"]),
        rounds=st.integers(0, 4),
    )  # fmt: skip
    def operate_tree(self, which: int, above: bool, operation: str, rounds: int) -> None:
        """Suspend, resume, cancel or abort a parent or a child."""
        row = self.some(which, MEMBERS, above, "S" if operation == "resume" else "R")
        if row is not None:
            with self.accepts("WD105", "WD203"):
                api_functions()[operation](row[0], REASON, conn=self.admin)
            self.go_on(rounds, 500)

    @rule(which=WHICH, operation=st.sampled_from(["withdraw", "complete"]), changes=families.states)
    def decide_children(self, which: int, operation: str, changes: dict[str, Any]) -> None:
        """Complete or withdraw a job that waits for children, as a person."""
        row = self.some(which, WAITING)
        if row is None:
            return
        flow = self.one("select f.name from wedsql.instance i join wedsql.flow f on f.id = i.flow_id"
                        " where i.wid = %s", row[0])[0]  # fmt: skip
        written = self.values(flow, changes)
        given = {"job": row[1]} | ({"changes": written} if operation == "complete" else {})
        with self.accepts("WD103", "WD105", "WD106", "WD203", "WD205", "WD210", "WD212"):
            done = api.repairs.repair(row[0], operation, given, REASON, conn=self.admin)
            if operation == "complete":
                self.applied(row[1], row[0], done.seq, None, written)

    @rule(which=WHICH, end=st.sampled_from(["final", "final", "other", "fail"]), changes=families.states)
    def serve_child(self, which: int, end: str, changes: dict[str, Any]) -> None:
        """Complete a job of a child, often so that the child is final, or repair it; or fail."""
        row = self.some(which, TAKEN)
        if row is None:
            return
        flow, number, transition = row
        with self.accepts("WD103", "WD106", "WD210"), self.conn.transaction():
            jobs = api.jobs.take_many(flow, [transition], 1, job_ids=[number], conn=self.conn)
            if end == "fail":
                for job in jobs:
                    api.jobs.fail(job, "no", conn=self.conn)
                return
            done = [Completion(job, self.values(flow, FINAL if end == "final" else changes)) for job in jobs]
            results = api.jobs.complete_many(flow, done, conn=self.conn)
        if end != "fail":
            self._answered(done, results)

    @rule(which=WHICH, rounds=st.integers(1, 4))
    def continue_beside_a_lock(self, which: int, rounds: int) -> None:
        """Lock a member of a tree in another session: the reaper goes on with all the others."""
        row = self.some(which, MEMBERS, which % 2 == 0, "R")
        if row is None:
            return
        name = self.one("select f.name from wedsql.instance i join wedsql.flow f on f.id = i.flow_id"
                        " where i.wid = %s", row[0])[0]  # fmt: skip
        text = sql.SQL("select 1 from {}.wed_flow where wid = %s for update").format(sql.Identifier(name))
        with self.locker.transaction(force_rollback=True):
            self.locker.execute(text, [row[0]])
            self.go_on(rounds, 500)
