"""Each verb about a task in each state of the task and of its instance: done, or rejected with its error.

What is done leaves every invariant as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest

from flows import api
from flows.errors import WedError
from flows.filters.history import ATTEMPT
from flows.tests.kit import Kit, broken

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]
CLERK = ["r:Clerk"]


@dataclass(frozen=True)
class Case:
    """An instance with a task."""

    kit: Kit
    wid: int
    task: int


Do = Callable[[Case], Any]


def take(case: Case, lock: bool = False) -> None:
    api.tasks.take(case.task, "ana", CLERK, lock, conn=case.kit.conn)


def begin(case: Case) -> None:
    take(case)
    api.tasks.start(case.task, "ana", conn=case.kit.conn)


def aside(case: Case) -> None:
    take(case)
    case.kit.rows("select wedsql.put_task_aside(%s, 'ana', wedsql.now() + interval '1 hour')", [case.task])


def given(case: Case) -> None:
    take(case)
    api.tasks.give(case.task, "ana", "bob", conn=case.kit.conn)


def complete(case: Case) -> None:
    take(case)
    api.tasks.complete(case.task, "ana", {"checked": "yes"}, conn=case.kit.conn)


def failed(case: Case) -> None:
    take(case)
    api.tasks.fail(case.task, "ana", "No.", conn=case.kit.conn)


def sql(text: str) -> Do:
    """Return a verb that calls a function of the kernel."""
    return lambda case: case.kit.rows(text.format(wid=case.wid, task=case.task, flow=case.kit.name))


def also(*steps: Do) -> Do:
    """Return what does one thing after the other."""

    def do(case: Case) -> None:
        for step in steps:
            step(case)

    return do


def leased(case: Case) -> str:
    return "done" if api.jobs.lease_many(case.kit.name, ["tr_check"], 1, "w", conn=case.kit.conn) else "none"


suspend, resume = (sql(f"select wedsql.{verb}({{wid}}, 'Why.')") for verb in ("suspend", "resume"))


def except_(case: Case) -> None:
    case.kit.fail("tr_other", case.wid)


STATES: dict[str, Do] = {
    "open": lambda case: None,
    "held": take,
    "begun": begin,
    "locked": lambda case: take(case, lock=True),
    "aside": aside,
    "of another": given,
    "suspended": suspend,
    "suspended while held": also(take, suspend),
    "resumed after it was held": also(begin, suspend, resume),
    "exception": except_,
    "exception while held": also(take, except_),
    "suspended exception": also(except_, suspend),
    "completed": complete,
    "failed": failed,
    "cancelled": sql("select wedsql.cancel({wid}, 'Why.')"),
    "cancelled while held": also(take, sql("select wedsql.cancel({wid}, 'Why.')")),
    "compensating": sql("select wedsql.abort({wid}, 'Why.')"),
    "final": lambda case: case.kit.run("tr_other", case.wid, other="end"),
}
VERBS: dict[str, Do] = {
    "take": take,
    "lock": lambda case: take(case, lock=True),
    "take as another": lambda case: api.tasks.take(case.task, "bob", CLERK, conn=case.kit.conn),
    "start": lambda case: api.tasks.start(case.task, "ana", conn=case.kit.conn),
    "release": lambda case: api.tasks.release(case.task, "ana", conn=case.kit.conn),
    "release by force": lambda case: api.tasks.release(case.task, "eva", True, conn=case.kit.conn),
    "give": lambda case: api.tasks.give(case.task, "ana", "bob", conn=case.kit.conn),
    "give by force": lambda case: api.tasks.give(case.task, "eva", "bob", "x", True, conn=case.kit.conn),
    "aside": sql("select wedsql.put_task_aside({task}, 'ana', wedsql.now() + interval '2 hours')"),
    "not aside": lambda case: api.tasks.put_aside(case.task, "ana", None, conn=case.kit.conn),
    "complete": lambda case: api.tasks.complete(case.task, "ana", {"checked": "yes"}, conn=case.kit.conn),
    "fail": lambda case: api.tasks.fail(case.task, "ana", "No.", conn=case.kit.conn),
    "preview": lambda case: api.task_forms.preview(case.task, "ana", {"checked": "yes"}, conn=case.kit.conn),
    "keep_draft": lambda case: api.task_forms.keep_draft(
        case.task, "ana", {"value-0": "y"}, conn=case.kit.conn
    ),
    "attach_file": sql("select wedsql.attach_task_file({task}, 'ana', 'checked', 'a.txt', 'a', '{{}}')"),
    "keep_late": lambda case: api.tasks.keep_late(case.task, "ana", {"checked": "yes"}, conn=case.kit.conn),
    "extend_deadline": sql("select wedsql.extend_task_deadline({task}, 'eva',"
        " wedsql.now() + interval '2 hours', true)"),
    "lease by a worker": leased,
    "suspend": suspend,
    "resume": resume,
    "retry_job": sql("select wedsql.retry_job({wid}, {task}, 'Why.')"),
    "release_job": sql("select wedsql.release_job({wid}, {task}, 'Why.')"),
    "withdraw_job": sql("select wedsql.withdraw_job({wid}, {task}, 'Why.')"),
    "prioritize_job": sql("select wedsql.prioritize_job({wid}, {task}, 5, 'Why.')"),
    "extend_job": sql("select wedsql.extend_job({wid}, {task}, '1 hour', 'Why.')"),
    "reassign_job": sql("select wedsql.reassign_job({wid}, {task}, 'robot', 'Why.')"),
    "reassign_job to all": sql("select wedsql.reassign_job({wid}, {task}, '', 'Why.')"),
    "repair complete": sql("select wedsql.repair({wid}, 'complete', '{{\"job\": {task},"
        " \"changes\": {{\"checked\": \"yes\"}}}}', 'Why.')"),
    "repair skip": sql("select wedsql.repair({wid}, 'skip', '{{\"job\": {task}}}', 'Why.')"),
    "repair patch": sql("select wedsql.repair({wid}, 'patch',"
        " '{{\"changes\": {{\"other\": \"y\"}}}}', 'Why.')"),
    "repair accept": sql("select wedsql.repair({wid}, 'accept', '{{}}', 'Why.')"),
    "rematch": sql("select wedsql.rematch('{flow}', array[{wid}])"),
    "cancel": sql("select wedsql.cancel({wid}, 'Why.')"),
    "abort": sql("select wedsql.abort({wid}, 'Why.')"),
    "roll_back": sql("select wedsql.roll_back({wid}, 1, 'Why.')"),
}  # fmt: skip


# What each verb says in the states of STATES: done, none where it finds nothing, or the number of its error.
TABLE = {
    "take": "done done done done done 591 593 593 done done done 593 593 593 593 593 593 593",
    "lock": "done done done done done 591 593 593 done done done 593 593 593 593 593 593 593",
    "take as another": "done 592 592 592 592 done 593 593 done done 592 593 593 593 593 593 593 593",
    "start": "593 done done done done 593 593 593 593 593 done 593 593 593 593 593 593 593",
    "release": "593 done done done done 593 593 593 593 593 done 593 593 593 593 593 593 593",
    "release by force": "done done done done done done 593 593 done done done 593 593 593 593 593 593 593",
    "give": "593 done done done done 593 593 593 593 593 done 593 593 593 593 593 593 593",
    "give by force": "done done done done done done 593 593 done done done 593 593 593 593 593 593 593",
    "aside": "593 done done done done 593 593 593 593 593 done 593 593 593 593 593 593 593",
    "not aside": "593 done done done done 593 593 593 593 593 done 593 593 593 593 593 593 593",
    "complete": "593 done done done done 593 593 593 593 593 done 593 done 593 593 593 593 593",
    "fail": "593 done done done done 593 593 593 593 593 done 593 593 593 593 593 593 593",
    "extend_deadline": "done done done done done done 593 593 done done done 593 593 593 593 593 593 593",
    "keep_late": "593 593 593 593 593 593 593 593 593 593 593 593 593 593 593 593 593 593",
    "keep_draft": "593 done done done done 593 593 593 593 593 done 593 593 593 593 593 593 593",
    "attach_file": "593 596 596 596 596 593 593 593 593 593 596 593 593 593 593 593 593 593",
    "preview": "done done done done done done done done done done done done done done done done done done",
    "lease by a worker":
        "none none none none none none none none none none none none none none none none none none",
    "suspend": "done done done done done done 105 105 done done done 105 done done 105 105 105 105",
    "resume": "105 105 105 105 105 105 done done 105 105 105 done 105 105 105 105 105 105",
    "retry_job": "212 203 203 203 203 212 105 105 212 212 203 105 205 done 105 105 205 105",
    "release_job": "212 done done done done 212 105 105 212 212 done 105 205 212 105 105 205 105",
    "withdraw_job": "done 203 203 203 203 done 105 105 done done 203 105 205 done 105 105 105 105",
    "prioritize_job": "done done done done done done 105 105 done done done 105 205 done 105 105 205 105",
    "extend_job": "212 212 212 212 212 212 105 105 212 212 212 105 205 212 105 105 205 105",
    "reassign_job": "212 212 212 212 212 212 105 105 212 212 212 105 205 212 105 105 105 105",
    "reassign_job to all": "212 212 212 212 212 212 105 105 212 212 212 105 205 212 105 105 105 105",
    "repair complete": "done 203 203 203 203 done 105 105 done done 203 105 205 done 105 105 105 105",
    "repair skip": "done 203 203 203 203 done 105 105 done done 203 105 205 done 105 105 105 105",
    "repair patch": "212 212 212 212 212 212 105 105 212 done done 105 212 done 105 105 105 105",
    "repair accept": "212 212 212 212 212 212 105 105 212 done done 105 212 done 105 105 105 105",
    "rematch": "done done done done done done done done done done done done done done done done done done",
    "cancel": "done done done done done done done done done done done done done done 105 105 105 105",
    "abort": "done 203 203 203 203 done done done done done 203 done done done 105 105 105 105",
    "roll_back": "done 203 203 203 203 done done done done done 203 done done done 105 105 105 105",
}  # fmt: skip


@pytest.fixture
def office(kit: Kit) -> Kit:
    kit.attrs("begun", "checked", "other")
    kit.trig("tr_begin", "begun is null", compensation="transition", compensated_by="tr_undo")
    options = {"performer": "person", "role": "Clerk", "writes": ["checked"], "offline": True}
    kit.trig("tr_check", "begun is not null and checked is null", **options)
    kit.trig("tr_other", "begun is not null and other is null", max_attempts=1)
    kit.final("other = 'end'")
    kit.policy(final_when_pending="cancel")
    return kit


def outcome(case: Case, verb: Do) -> str:
    """Return what a verb says; what it does breaks no invariant, and is rolled back."""
    try:
        with case.kit.conn.transaction(force_rollback=True):
            found = verb(case)
            assert broken(case.kit) == []
            return found if isinstance(found, str) and found == "none" else "done"
    except WedError as error:
        return error.code.removeprefix("WD")
    except psycopg.Error as error:
        return str(error.sqlstate).removeprefix("WD")


@pytest.mark.parametrize("state", STATES)
def test_each_verb_says_in_each_state_what_the_table_says(office: Kit, state: str) -> None:
    wid = office.start()
    office.run("tr_begin", wid, begun="yes")
    case = Case(office, wid, office.one("select job_id from wedsql.task where wid = %s", [wid]))
    STATES[state](case)
    assert broken(office) == []
    said = {name: line.split()[[*STATES].index(state)] for name, line in TABLE.items()}
    assert {name: outcome(case, verb) for name, verb in VERBS.items()} == said


FUNCTIONS = """
select distinct p.proname from pg_proc p
where p.pronamespace = 'wedsql'::regnamespace and p.provolatile = 'v' and p.proname like E'%%\\_task%%'
  and has_function_privilege('wed_web', p.oid, 'execute') and p.proargnames[1] = 'p_job'
"""


def test_the_table_has_each_verb_of_tasks(kit: Kit) -> None:
    """A function that changes a task needs a row."""
    words = {row.proname.replace("put_task_", "").replace("_task", "") for row in kit.rows(FUNCTIONS)}
    assert words <= set(VERBS) and len(words) > 6


def test_filters_and_figures_count_the_same_attempts(kit: Kit) -> None:
    source = kit.one("select prosrc from pg_proc where proname = '_is_attempt'")
    assert " ".join(source.split()) == f"select {ATTEMPT}".replace("l.outcome", "p_outcome")
