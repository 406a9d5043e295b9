"""Rules for tasks: persons take, begin, give, put aside, complete and fail them, in every order.

The oracle is `TaskModel`: it predicts the error of each call, or that it is done, and what each task is then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, ClassVar, NamedTuple

import psycopg
from hypothesis import strategies as st
from hypothesis.stateful import rule
from psycopg import sql

from flows import api
from flows.database_errors import from_database
from flows.errors import BadDefinition, WedError
from flows.tests.model import families
from flows.tests.model.base import FLOWS, Connection, Violation
from flows.tests.model.facts import Facts
from flows.tests.model.rules.definition_rules import Defining
from flows.tests.model.rules.work_rules import Work
from flows.tests.model.task_model import KEYS, QUERY, Holding, TaskModel, TaskRow

PERSON = st.sampled_from(sorted(KEYS))
# The holder, or one who may take the task, is "" here.
WHO = st.sampled_from(["", "", "", *sorted(KEYS)])
WHICH = st.sampled_from([0, 0, 1, 1, 2, 3, 4, 20])
OUTCOME = st.sampled_from([None, None, None, "Done", "One", "Two", "FAILED", "None such"])
CLAIM = st.sampled_from(["none", "none", "held", "held", "old"])
# Of the tasks in a state, or of all, those that are open first.
TASKS = """
    select t.job_id from wedsql.task t join wedsql.flow f on f.id = t.flow_id
    where f.name = any (%s) and t.state = any (%s::"char"[])
    order by t.ended_at is null desc, t.job_id limit 5"""
TRIGGERS_WITH_JOBS = """
    select f.name, g.tgid from wedsql.trig g join wedsql.flow f on f.id = g.flow_id
    join wedsql.job_pool j on j.tgid = g.tgid where f.name = any (%s)
    order by g.performer <> %s desc, j.state = %s desc, g.tgid limit 5"""
OPEN, HELD, ENDED = ["R"], ["S", "L", "X"], ["D", "F", "W"]
LIKELY = st.sampled_from([OPEN, HELD, HELD, HELD, ENDED])
# A result that is none of its trigger, ends nothing, loops, sets what cannot be computed, or sets it twice.
RESULT = {"WD103", "WD106", "WD210", "WD211", "WD009"}


# What persons do, each of which has to succeed in a run of the suite.
VERBS = frozenset(
    {"take", "start", "release", "give", "put_aside", "complete", "fail", "keep_draft", "keep_late"}
    | {"extend_deadline"}
)


class Result(NamedTuple):
    """What a person sends for a task, and whether it is sent twice."""

    changes: dict[str, Any]
    outcome: str | None
    twice: bool


RESULTS = st.builds(Result, families.states, OUTCOME, st.booleans())


class Tasks(Work, Defining):
    """Persons with roles, whose tasks are jobs that no worker takes."""

    succeeded: ClassVar[set[str]] = set()

    def __init__(self) -> None:
        super().__init__()
        self.tasks = TaskModel()
        self.control.execute("delete from wedsql.absence")
        self.supervisor = self.session()

    def check_families(self, moment: Facts) -> None:
        """Check the tasks with everything else."""
        super().check_families(moment)
        self.follow()

    # -- the model
    def follow(self) -> dict[int, TaskRow]:
        """Read all tasks, and check that each is what the persons were answered."""
        rows = [TaskRow(*row) for row in self.control.execute(QUERY, [list(FLOWS)])]
        for kind, case in self.tasks.follow(rows):
            raise Violation(kind, case)
        return {row.job_id: row for row in rows}

    def one_of(self, which: int, likely: list[str]) -> int:
        """Return the number of a task, or one that no task has; where one has to be held, one is."""
        if likely is HELD and not self.tasks.holdings:
            self._take(self.one_of(which, OPEN), "", False)
        found = self.some(which, TASKS, list(FLOWS), likely if which < 4 else [*OPEN, *HELD, *ENDED, "H"])
        return found[0] if found and which < 20 else 987654321

    @contextmanager
    def about(self, job: int, person: str = "ana") -> Iterator[tuple[TaskRow | None, str]]:
        """Run a verb of a person on a task: no task of another instance changes hands by it."""
        rows = self.follow()
        before = dict(self.tasks.holdings)
        row = rows.get(job)
        yield row, person or self._likely(row)
        self.follow()
        for other, held in before.items():
            if (row is None or held.wid != row.wid) and self.tasks.holdings.get(other) != held:
                raise Violation("another task changed hands", (job, other, held))

    def _likely(self, row: TaskRow | None) -> str:
        """Return who holds a task, or who may take it."""
        held = self.tasks.holdings.get(row.job_id) if row else None
        able = [one for one in KEYS if row and self.tasks.may_take(row, one, self.minutes)]
        return held.owner if held else [*able, "ana"][0]

    def answer(self, allowed: set[str], call: Callable[[], Any]) -> Any:
        """Return the answer of a call, None for an error; both have to be predicted."""
        try:
            answer = call()
        except (WedError, psycopg.Error) as error:
            known = error if isinstance(error, WedError) else from_database(error)
            code = known.code if known else type(error).__name__
            if code not in allowed:
                raise Violation(f"predicted {sorted(allowed)}, not {code}", error) from error
            return None
        if "" not in allowed:
            raise Violation(f"done, though predicted {sorted(allowed)}", answer)
        names = {*call.__code__.co_names}
        called = VERBS & names if names & {"tasks", "task_forms"} else set()
        self.succeeded.update(called if answer is not None else called - {"keep_late"})
        return answer if answer is not None else True

    # -- verbs
    @rule(which=WHICH, likely=LIKELY, person=WHO, lock=st.booleans(), again=st.booleans())
    def take_task(self, which: int, likely: list[str], person: str, lock: bool, again: bool) -> None:
        """Take a task, perhaps twice: the second time has the same answer."""
        job = self.one_of(which, likely)
        self._take(job, person, lock)
        if again:
            self._take(job, person, False)

    def _take(self, job: int, person: str, lock: bool) -> None:
        with self.about(job, person) as (row, who):
            allowed = self.tasks.taken(row, who, lock, self.minutes, self._state(row))
            held = self.answer(allowed, lambda: api.tasks.take(job, who, KEYS[who], lock, conn=self.conn))
            if held is not None:
                self._took(job, held, lock)

    def _took(self, job: int, held: Any, lock: bool) -> None:
        known = self.tasks.holdings.get(job)
        how = "L" if lock else "X" if known and known.how == "X" else "S"
        if held.owner is None or held.state != how or (known and known.claim != held.claim):
            raise Violation("another answer to who has the task", (known, held))
        self.tasks.holdings[job] = Holding(held.wid, held.owner, how, held.claim)

    def _state(self, row: TaskRow | None) -> Any:
        if row is None:
            return None
        text = sql.SQL("select to_jsonb(w) - 'wid' from {}.wed_flow w where w.wid = %s")
        found = self.control.execute(text.format(sql.Identifier(row.flow)), [row.wid]).fetchone()
        return found[0] if found else None

    @rule(which=WHICH, likely=LIKELY, person=WHO)
    def start_task(self, which: int, likely: list[str], person: str) -> None:
        """Begin a task."""
        job = self.one_of(which, likely)
        with self.about(job, person) as (row, who):
            if self.answer({self.tasks.own(row, who)}, lambda: api.tasks.start(job, who, conn=self.conn)):
                self.tasks.change(job, how="X")

    @rule(which=WHICH, likely=LIKELY, person=WHO, force=st.booleans())
    def release_task(self, which: int, likely: list[str], person: str, force: bool) -> None:
        """Give a task back, or have a supervisor take it from its holder."""
        job = self.one_of(which, likely)
        with self.about(job, person) as (row, who):
            error = self.tasks.forced(row) if force else self.tasks.own(row, who)
            if self.answer({error}, lambda: api.tasks.release(job, who, force, conn=self.conn)):
                self.tasks.holdings.pop(job, None)

    @rule(which=WHICH, likely=LIKELY, person=WHO, to=PERSON, force=st.booleans())
    def give_task(self, which: int, likely: list[str], person: str, to: str, force: bool) -> None:
        """Give a task to a person, who alone may take it then; not to one who is excluded."""
        job = self.one_of(which, likely)
        with self.about(job, person) as (row, who):
            error = self.tasks.forced(row) if force else self.tasks.own(row, who)
            if not error and row and to in row.excluded:
                error = "WD591"
            again = row and (row.audience, row.given_by) == (f"p:{to}", who) and row.owner in (None, to)
            if self.answer({error}, lambda: api.tasks.give(job, who, to, "x", force, conn=self.conn)):
                if not again:  # sent again: who took it meanwhile keeps it
                    self.tasks.holdings.pop(job, None)
                if self.follow()[job].audience != f"p:{to}":
                    raise Violation("given to another person", (to, job))

    @rule(which=WHICH, likely=LIKELY, person=WHO, minutes=st.sampled_from([None, 3, 60, -5]))
    def put_task_aside(self, which: int, likely: list[str], person: str, minutes: int | None) -> None:
        """Put a task aside until a moment, which comes."""
        until = None if minutes is None else self._moment(minutes)
        job = self.one_of(which, likely)
        with self.about(job, person) as (row, who):
            error = "WD009" if minutes is not None and minutes < 0 else self.tasks.own(row, who)
            if self.answer({error}, lambda: api.tasks.put_aside(job, who, until, conn=self.conn)):
                self.tasks.change(job, aside=None if minutes is None else self.minutes + minutes)

    def _moment(self, minutes: int) -> Any:
        row = self.one("select wedsql.now()")
        return row[0] + timedelta(minutes=minutes)

    @rule(which=WHICH, likely=LIKELY, person=WHO, claim=CLAIM, result=RESULTS)
    def complete_task(self, which: int, likely: list[str], person: str, claim: str, result: Result) -> None:
        """Complete a task that is held, or that is not; sent twice, the answer is the same."""
        self._complete(self.one_of(which, likely), person, claim, result)

    @rule(which=WHICH, person=WHO, result=RESULTS)
    def perform_task(self, which: int, person: str, result: Result) -> None:
        """Take a task and complete it with an outcome that it has, as persons mostly do."""
        job = self.one_of(which % 20, OPEN)
        self._take(job, person, False)
        row = self.follow().get(job)
        names = [line.partition(":")[0] for line in row.outcomes if line != "FAILED"] if row else []
        self._complete(job, "", "held", result._replace(outcome=names[0] if names else None))

    def _complete(self, job: int, person: str, claim: str, result: Result) -> None:
        with self.about(job, person) as (row, who):
            token = self._token(job, claim)
            data = self.values(row.flow, result.changes) if row else {}
            sent = (job, who, data, result.outcome, token)
            done = self.answer(
                self._completed(row, who, result, token),
                lambda: api.tasks.complete(*sent, conn=self.conn),
            )
            if done is not None and row is not None:
                self._recorded(row, done, who, result.outcome, data)
            if done is not None and result.twice:
                self._same_again(sent, done)

    def _completed(self, row: TaskRow | None, who: str, result: Result, token: int | None) -> set[str]:
        """Return the errors with which a result may be rejected, "" for one that is accepted."""
        error = self.tasks.own(row, who, token)
        unknown = row is not None and row.outcome(result.outcome) is None
        allowed = {error} if error else {"WD594"} if unknown else {"", *RESULT}
        done = self.tasks.done.get(row.job_id) if row else None
        # The answer of before, if it is the same result.
        return allowed | {"", "WD594"} if done and done[0] == who else allowed

    def _recorded(self, row: TaskRow, done: Any, who: str, outcome: str | None, data: dict[str, Any]) -> None:
        known = self.tasks.done.get(row.job_id)
        if done.repeated is not (known is not None) or (known and known[2] != done.seq):
            raise Violation("a second answer", (known, done))
        if known is None:
            held = self.tasks.holdings.pop(row.job_id)
            self.applied(row.job_id, row.wid, done.seq, held.claim, data)
            self.tasks.done[row.job_id] = (who, outcome or "SUCCEEDED", done.seq)

    def _same_again(self, sent: Any, done: Any) -> None:
        again = api.tasks.complete(*sent, conn=self.conn)
        if not again.repeated or (again.seq, again.status) != (done.seq, done.status):
            raise Violation("sent twice, answered otherwise", (done, again))

    def _token(self, job: int, claim: str) -> int | None:
        held = self.tasks.holdings.get(job)
        return None if claim == "none" else held.claim if claim == "held" and held else 1

    @rule(which=WHICH, likely=LIKELY, person=WHO, claim=CLAIM)
    def fail_task(self, which: int, likely: list[str], person: str, claim: str) -> None:
        """Say that a task could not be done: its outcome FAILED, or an exception."""
        job = self.one_of(which, likely)
        with self.about(job, person) as (row, who):
            token = self._token(job, claim)
            error = self.tasks.own(row, who, token)
            failed = row.outcome("FAILED") if row else None
            allowed = {error} if error else {""} if failed is None else {"", *RESULT}
            answer = self.answer(allowed, lambda: api.tasks.fail(job, who, "no", token, conn=self.conn))
            if answer is not None and row is not None:
                self._failed(job, row, answer, failed)

    def _failed(self, job: int, row: TaskRow, answer: str, failed: str | None) -> None:
        if answer != ("exception" if failed is None else "FAILED"):
            raise Violation("failed otherwise", (answer, row))
        held = self.tasks.holdings.pop(job)
        if answer == "FAILED":
            found = self.one("select seq from wedsql.wed_trace where wid = %s and job_id = %s", row.wid, job)
            self.applied(job, row.wid, found[0], held.claim, {})

    @rule(which=WHICH, likely=LIKELY, person=WHO, typed=st.sampled_from([{}, {"value-0": "1"}]))
    def keep_draft(self, which: int, likely: list[str], person: str, typed: dict[str, str]) -> None:
        """Keep what was typed for a task that the person has; it ends with the task."""
        job = self.one_of(which, likely)
        with self.about(job, person) as (row, who):
            error = self.tasks.own(row, who).replace("WD598", "WD592" if row and row.owner else "WD593")
            self.answer({error}, lambda: api.task_forms.keep_draft(job, who, typed, conn=self.conn))

    # -- deadlines, substitutes, lists
    @rule(which=WHICH, person=PERSON, minutes=st.sampled_from([1, 4]), transfer=st.booleans())
    def let_deadline_come(self, which: int, person: str, minutes: int, transfer: bool) -> None:
        """Name who is responsible and extend the deadline; at its transfer the task is that person's."""
        self._let_deadline_come(self.one_of(which, HELD), person, minutes, transfer)

    def _let_deadline_come(self, job: int, person: str, minutes: int, transfer: bool) -> None:
        with self.about(job, person) as (row, _):
            if row is None or row.ended:
                return
            warnings = [f"0.02{' transfer' if transfer else ''}"]  # 72 seconds before
            settings = {"responsible": person, "warnings": warnings}
            by = self.supervisor
            self.answer(
                {"", "WD105"}, lambda: api.persons.set_settings(row.wid, settings, "eva", True, conn=by)
            )
            until = self._moment(minutes)
            error = self.tasks.forced(row)
            self.answer({error}, lambda: api.tasks.extend_deadline(job, "eva", until, True, conn=by))
            self.pass_time(minutes - 1)  # of 4 minutes it is within the 72 seconds then
        with self.accepts(what="round ended by"):
            api.maintenance.reap(conn=self.admin)
        self.follow()

    @rule(which=WHICH, person=PERSON, result=RESULTS, transfer=st.sampled_from([True, True, False]))
    def keep_late(self, which: int, person: str, result: Result, transfer: bool) -> None:
        """Hand over what was made for a task that went to the person responsible: it is never applied."""
        job = self.one_of(which, HELD)
        held = self.tasks.holdings.get(job)
        if transfer and held:
            others = [each for each in sorted(KEYS) if each != held.owner]
            to = person if person in others else others[0]
            self._let_deadline_come(job, to, 4, True)
        with self.about(job, held.owner if transfer and held else person) as (row, who):
            data = self.values(row.flow, result.changes) if row else {}
            late = (job, who, data, result.outcome)
            self.answer(self._kept(row, who, result), lambda: api.tasks.keep_late(*late, conn=self.conn))

    def _kept(self, row: TaskRow | None, who: str, result: Result) -> set[str]:
        """Return the errors of a late result; "" for one that is kept."""
        if row is None:
            return {"WD590"}
        held = self.tasks.holdings.get(row.job_id)
        if who not in self.tasks.lost.get(row.job_id, ()) or (held and held.owner == who):
            return {"WD593"}
        unknown = row.outcome(result.outcome) is None
        return {"WD594"} if unknown else {"", "WD009", "WD211", "WD103", "WD593"}

    @rule(person=PERSON, substitute=PERSON, minutes=st.sampled_from([10, 90]))
    def substitute(self, person: str, substitute: str, minutes: int) -> None:
        """Let a substitute take what is for a person, for some time."""
        if person != substitute and len(self.tasks.absences) < 8:
            start, until = self._moment(-1), self._moment(minutes)
            try:
                api.persons.set_absence(person, substitute, start, until, conn=self.supervisor)
            except BadDefinition:
                assert person in self.tasks.substitutes(substitute, self.minutes - 1), "no circle"
            else:
                assert person not in self.tasks.substitutes(substitute, self.minutes + 1), "a circle"
                self.tasks.absences.append((person, substitute, self.minutes + minutes))

    @rule(which=WHICH, state=st.sampled_from("LSPK"), to=st.sampled_from(["worker", "person", "person"]))
    def change_performer(self, which: int, state: str, to: str) -> None:
        """Have people perform the jobs that workers have, or workers those of people."""
        found = self.some(which, TRIGGERS_WITH_JOBS, list(FLOWS), to, state)
        if found:
            self._write(found[0], "update wed_trig set performer = %s where tgid = %s", to, found[1])
            self._invariants(self.control, "invariant")
            self.follow()

    @rule(person=PERSON, order=st.sampled_from(["arrival", "priority", "deadline"]))
    def lists(self, person: str, order: Any) -> None:
        """Read the lists of a person: what the person has, and what the person may take; nothing else."""
        rows = self.follow()
        for aside in (False, True):
            expected = self.tasks.own_list(person, aside, self.minutes)
            found = {task.job_id for task in api.tasks.own(person, aside, conn=self.conn)}
            if found & set(rows) != expected:
                raise Violation("another list of one's own tasks", (aside, found, expected))
        able = {job for job, row in rows.items() if self.tasks.may_take(row, person, self.minutes)}
        expected = {job for job in able if rows[job].job == "P"}
        found = self._open_to(person, order)
        if found & set(rows) != expected:
            raise Violation("another list of open tasks", (person, order, found ^ expected))

    def _open_to(self, person: str, order: Any) -> set[int]:
        listed = api.tasks.open(person, KEYS[person], order, limit=500, conn=self.conn)
        return {task.job_id for task in listed}

    @rule(which=WHICH, person=PERSON, other=PERSON)
    def two_at_once(self, which: int, person: str, other: str) -> None:
        """Take tasks of two instances in two transactions: neither waits for the other."""
        rows = [row for row in self.follow().values() if row.job == "P" and not row.sets_when_taken]
        first = next((row for row in rows if self.tasks.may_take(row, person, self.minutes)), None)
        second = next((row for row in rows[::-1] if first and row.wid != first.wid), None)
        if first is None or second is None:
            return
        with self.conn.transaction():
            self._hold_of(first, person, self.conn)
            with self.locker.transaction():
                self._hold_of(second, other, self.locker)
        self.follow()

    def _hold_of(self, row: TaskRow, person: str, conn: Connection) -> None:
        allowed = self.tasks.taken(row, person, False, self.minutes, self._state(row))
        held = self.answer(allowed, lambda: self._nested(row, person, conn))
        if held is not None:
            self._took(row.job_id, held, False)

    def _nested(self, row: TaskRow, person: str, conn: Connection) -> Any:
        with conn.transaction():
            return api.tasks.take(row.job_id, person, KEYS[person], conn=conn)
