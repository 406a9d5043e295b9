"""Each verb about one instance in each of its statuses: done, or rejected with the error of that status."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from flows import api
from flows.capabilities.moves.api import Peer
from flows.errors import WedError
from flows.tests.kit import Kit
from flows.tests.statuses import PUBLIC_KEY
from flows.types import ClaimedJob, Failure

pytestmark = pytest.mark.kernel
AFAR = "51cd1084-945b-42fc-9bfd-8fca5d9dc301"


@dataclass(frozen=True)
class Case:
    """An instance in some status: the number of the job that can fail, and a lease of another one."""

    kit: Kit
    wid: int
    job: int
    lease: ClaimedJob


Verb = Callable[[Case], Any]


def fail(kit: Kit, wid: int) -> None:
    kit.fail("tr_work", wid, why="no")


def suspend(kit: Kit, wid: int) -> None:
    api.operations.suspend(wid, "Later.", conn=kit.conn)


def abort(kit: Kit, wid: int) -> None:
    kit.rows("update wedsql.job_pool set state = 'P', claim = null, lease_until = null where wid = %s", [wid])
    api.compensations.abort(wid, "No.", conn=kit.conn)


def away(kit: Kit, wid: int) -> None:
    """Hand the instance over, of which no job is held any more."""
    kit.rows("update wedsql.job_pool set state = 'P', claim = null, lease_until = null where wid = %s", [wid])
    api.moves.hand_over(wid, "afar", "Why.", conn=kit.conn)


# How an instance gets into each status, beginning with a running one that has made a step.
WAYS: dict[str, list[Callable[[Kit, int], Any]]] = {
    "running": [],
    "exception": [fail],
    "suspended": [suspend],
    "suspended exception": [fail, suspend],
    "compensating": [abort],
    "final": [lambda kit, wid: kit.run("tr_work", wid, b="end")],
    "cancelled": [lambda kit, wid: api.instances.cancel(wid, "No.", conn=kit.conn)],
    "aborted": [abort, lambda kit, wid: kit.run("tr_undo", wid, a="undone")],
    "away": [away],
}


def signal(case: Case, name: str) -> str:
    return api.signals.send(case.kit.name, name, {"paid": "yes"}, to=case.wid, conn=case.kit.conn).outcome


def taken(case: Case) -> str:
    found = api.jobs.lease_many(case.kit.name, ["tr_work"], 1, "w", job_ids=[case.job], conn=case.kit.conn)
    return "done" if found else "none"


def next_case(case: Case) -> str:
    case.kit.rows("update wedsql.repair_case set priority = 100 where wid = %s", [case.wid])
    found = api.cases.next(None, "ann", flows=[case.kit.name], conn=case.kit.conn)
    return "done" if found and found.wid == case.wid else "none"


def failed(case: Case) -> str:
    found = api.jobs.fail_many(case.kit.name, [Failure(case.lease, "no")], conn=case.kit.conn)
    return "done" if any(each for each in found) else "none"


def handed_over(case: Case) -> None:
    case.kit.rows("select wedsql.hand_over(%s, 'afar', 'Why.')", [case.wid], case.kit.conn)


def handed_over_at_the_desk(case: Case) -> None:
    given = {"peer": "afar"}
    api.repairs.repair(case.wid, "hand_over", given, "Why.", conn=case.kit.conn)


def sql(text: str) -> Verb:
    """Return a verb that calls a function of the kernel."""
    return lambda case: case.kit.rows(
        text.format(wid=case.wid, job=case.job, flow=case.kit.name), (), case.kit.conn
    )


VERBS: dict[str, Verb] = {
    "hand_over": handed_over,
    "repair hand_over": handed_over_at_the_desk,
    "signal": lambda case: signal(case, "pay"),
    "signal that is kept": lambda case: signal(case, "later"),
    "signal that no job takes": lambda case: signal(case, "never"),
    "next_case": next_case,
    "take": taken,
    "complete_many": lambda case: api.jobs.complete(case.lease, {"c": "x"}, conn=case.kit.conn),
    "fail_many": failed,
    "extend": lambda case: api.jobs.extend(case.lease, timedelta(hours=1), conn=case.kit.conn),
    "release": lambda case: api.jobs.release(case.lease, conn=case.kit.conn),
    "rematch": sql("select wedsql.rematch('{flow}', array[{wid}])"),
    "add_children": sql("select wedsql.add_children({wid}, {job}, 1)"),
    "suspend": sql("select wedsql.suspend({wid}, 'Why.')"),
    "resume": sql("select wedsql.resume({wid}, 'Why.')"),
    "cancel": sql("select wedsql.cancel({wid}, 'Why.')"),
    "abort": sql("select wedsql.abort({wid}, 'Why.')"),
    "roll_back": sql("select wedsql.roll_back({wid}, 1, 'Why.')"),
    "compensate": sql("select wedsql.compensate({wid}, 2, 'Why.')"),
    "skip_compensation": sql("select wedsql.skip_compensation({wid}, 'Why.')"),
    "retry_job": sql("select wedsql.retry_job({wid}, {job}, 'Why.')"),
    "release_job": sql("select wedsql.release_job({wid}, {job}, 'Why.')"),
    "withdraw_job": sql("select wedsql.withdraw_job({wid}, {job}, 'Why.')"),
    "prioritize_job": sql("select wedsql.prioritize_job({wid}, {job}, 5, 'Why.')"),
    "extend_job": sql("select wedsql.extend_job({wid}, {job}, '1 hour', 'Why.')"),
    "reassign_job": sql("select wedsql.reassign_job({wid}, {job}, 'other', 'Why.')"),
    "set_task_settings": sql("select wedsql.set_task_settings({wid}, '{{}}', 'ana', true)"),
}
ARGUMENTS: dict[str, str] = {
    "patch": '{{"changes": {{"c": "y"}}}}',
    "branch": '{{"seq": 1}}',
    "replay": '{{"seq": 1}}',
    "rollback": '{{"seq": 1}}',
    "compensate": '{{"seq": 2}}',
    "extend": '{{"job": {job}, "seconds": 60}}',
    "priority": '{{"job": {job}, "priority": 5}}',
    "reassign": '{{"job": {job}, "worker": "other"}}',
    "merge_late": '{{"late": 1}}',
    "discard_late": '{{"late": 1}}',
}
OF_JOB = ("complete", "skip", "retry", "release", "withdraw")


def operation(name: str) -> Verb:
    """Return an operation of the repair desk as a verb."""
    given = ARGUMENTS.get(name, '{{"job": {job}}}' if name in OF_JOB else "{{}}")
    return sql(f"select wedsql.repair({{wid}}, '{name}', '{given}', 'Why.')")


def outcome(case: Case, verb: Verb) -> str:
    """Return what a verb says; what it does is rolled back."""
    try:
        with case.kit.conn.transaction(force_rollback=True):
            found = verb(case)
            return found if isinstance(found, str) else "done"
    except WedError as error:
        return error.code
    except psycopg.Error as error:
        return error.sqlstate or "?"


@pytest.fixture
def cases(kit: Kit) -> list[Case]:
    """An instance in each status."""
    kit.attrs("a", "b", "c", "paid")
    kit.trig("tr_do", "a is null", compensation="transition", compensated_by="tr_undo")
    kit.trig("tr_work", "a = 'x' and b is null", max_attempts=1)
    kit.trig("tr_more", "a = 'x' and c is null", mode="lease")
    kit.trig("pay", "a = 'x' and paid is null", signal=True)
    kit.trig("later", "a = 'x' and paid is null", signal=True, keep="1 hour")
    kit.trig("never", "a = 'never'", signal=True)
    kit.final("b = 'end'")
    kit.policy(final_when_pending="cancel")
    api.moves.create_identity("here", conn=kit.conn)
    api.moves.save_peer(Peer(AFAR, "afar", PUBLIC_KEY, None, ("*",)), "op", conn=kit.conn)
    found = []
    for ways in WAYS.values():
        wid = kit.start()
        kit.run("tr_do", wid, a="x")
        numbers = {job.trname: job.id for job in kit.pending(wid)}
        lease = kit.lease("tr_more", job_ids=[numbers["tr_more"]])
        for way in ways:
            way(kit, wid)
        found.append(Case(kit, wid, numbers["tr_work"], lease))
    return found


# What each verb says in the statuses of WAYS: done, delivered, kept, or an error. "none" finds nothing to do,
# and "ignored" is a signal for which nothing waits although its instance can go on.
TABLE = {
    "hand_over": "WD203 WD622 WD622 WD622 WD105 WD105 WD105 WD105 WD105",
    "signal": "delivered delivered WD105 WD105 WD105 WD105 WD105 WD105 WD105",
    "signal that is kept": "delivered delivered kept kept kept WD105 WD105 WD105 kept",
    "signal that no job takes": "ignored ignored WD105 WD105 WD105 WD105 WD105 WD105 WD105",
    "next_case": "none done none none none none none none none",
    "take": "done none none none none none none none none",
    "complete_many": "done done WD105 WD105 WD105 WD102 WD105 WD105 WD105",
    "fail_many": "done done none none none none none none none",
    "extend": "done done WD105 WD105 WD205 WD205 WD205 WD205 WD205",
    "release": "done done WD105 WD105 WD205 WD205 WD205 WD205 WD205",
    "rematch": "done done done done done done done done done",
    "add_children": "WD581 WD581 WD581 WD581 WD105 WD105 WD105 WD105 WD105",
    "suspend": "done done WD105 WD105 WD105 WD105 WD105 WD105 WD105",
    "resume": "WD105 WD105 done done WD105 WD105 WD105 WD105 WD105",
    "cancel": "done done done done WD105 WD105 WD105 WD105 WD105",
    "abort": "WD203 WD203 done done WD105 WD105 WD105 WD105 WD105",
    "roll_back": "WD203 WD203 done done WD105 WD105 WD105 WD105 WD105",
    "compensate": "WD203 WD203 done done WD105 WD105 WD105 WD105 WD105",
    "skip_compensation": "WD105 WD105 WD105 WD105 done WD105 WD105 WD105 WD105",
    "retry_job": "WD212 done WD105 WD105 WD205 WD105 WD105 WD105 WD105",
    "release_job": "WD212 WD212 WD105 WD105 WD205 WD105 WD105 WD105 WD105",
    "withdraw_job": "done done WD105 WD105 WD105 WD105 WD105 WD105 WD105",
    "prioritize_job": "done done WD105 WD105 WD205 WD105 WD105 WD105 WD105",
    "extend_job": "done WD212 WD105 WD105 WD205 WD105 WD105 WD105 WD105",
    "reassign_job": "done done WD105 WD105 WD105 WD105 WD105 WD105 WD105",
    "set_task_settings": "done done done done done WD105 WD105 WD105 WD105",
    "repair hand_over": "WD203 WD622 WD622 WD622 WD105 WD105 WD105 WD105 WD105",
    "repair abort": "WD203 WD203 done done WD105 WD105 WD105 WD105 WD105",
    "repair accept": "WD212 done WD105 WD105 WD105 WD105 WD105 WD105 WD105",
    "repair branch": "done done done done done done done done WD105",
    "repair cancel": "done done done done WD105 WD105 WD105 WD105 WD105",
    "repair compensate": "WD203 WD203 done done WD105 WD105 WD105 WD105 WD105",
    "repair complete": "done done WD105 WD105 WD105 WD105 WD105 WD105 WD105",
    "repair discard_late": "WD543 WD543 WD543 WD543 WD543 WD543 WD543 WD543 WD105",
    "repair extend": "done WD212 WD105 WD105 WD205 WD105 WD105 WD105 WD105",
    "repair merge_late": "WD543 WD543 WD543 WD543 WD543 WD543 WD543 WD543 WD105",
    "repair migrate": "done done WD105 WD105 WD105 WD105 WD105 WD105 WD105",
    "repair patch": "WD212 done WD105 WD105 WD105 WD105 WD105 WD105 WD105",
    "repair priority": "done done WD105 WD105 WD205 WD105 WD105 WD105 WD105",
    "repair reassign": "done done WD105 WD105 WD105 WD105 WD105 WD105 WD105",
    "repair release": "WD212 WD212 WD105 WD105 WD205 WD105 WD105 WD105 WD105",
    "repair rematch": "done done WD105 WD105 WD105 WD105 WD105 WD105 WD105",
    "repair replay": "WD203 WD203 done done WD105 WD105 WD105 WD105 WD105",
    "repair resume": "WD105 WD105 done done WD105 WD105 WD105 WD105 WD105",
    "repair retry": "WD212 done WD105 WD105 WD205 WD105 WD105 WD105 WD105",
    "repair rollback": "WD203 WD203 done done WD105 WD105 WD105 WD105 WD105",
    "repair skip": "done done WD105 WD105 WD105 WD105 WD105 WD105 WD105",
    "repair skip_compensation": "WD105 WD105 WD105 WD105 done WD105 WD105 WD105 WD105",
    "repair suspend": "done done WD105 WD105 WD105 WD105 WD105 WD105 WD105",
    "repair undo": "WD528 WD528 WD528 WD528 WD105 WD105 WD105 WD105 WD105",
    "repair withdraw": "done done WD105 WD105 WD105 WD105 WD105 WD105 WD105",
}
# Functions about instances that are no verbs: they read, preview, or perform verbs of the table for many.
OTHERS = {
    "explain_instance", "explain_jobs", "explain_waits", "late_results", "look_at", "record_look",
    "preview_bulk", "preview_repair", "propose_repair", "request_bulk", "repair", "task_host",
}  # fmt: skip
FUNCTIONS = """
select distinct p.proname from pg_proc p
where p.pronamespace = 'wedsql'::regnamespace and p.provolatile = 'v' and p.proargnames && '{p_wid,p_wids}'
  and exists (select from unnest('{wed_web,wed_worker}'::name[]) r
              where has_function_privilege(r, p.oid, 'execute'))
"""


def test_each_verb_says_in_each_status_what_the_table_says(cases: list[Case]) -> None:
    found = {}
    for name in TABLE:
        verb = VERBS.get(name) or operation(name.removeprefix("repair "))
        found[name] = " ".join(outcome(case, verb) for case in cases)
    assert found == TABLE


def test_the_table_has_each_verb(kit: Kit) -> None:
    """A function about instances, or an operation of the repair desk, that is added needs a row."""
    functions = {row.proname for row in kit.rows(FUNCTIONS)} - OTHERS
    operations = {f"repair {name}" for name in api.operations.of_repair(conn=kit.conn)}
    assert functions | operations <= set(TABLE) and set(VERBS) | operations == set(TABLE)


def test_a_signal_is_not_lost_while_its_job_waits_for_a_person(cases: list[Case]) -> None:
    running = cases[0]
    running.kit.rows(
        "update wedsql.job_pool set state = 'K' where wid = %s and trname = 'pay'", [running.wid]
    )
    assert outcome(running, VERBS["signal"]) == "WD212"


def test_a_suspended_instance_and_its_case_are_handed_out_after_it_is_resumed(cases: list[Case]) -> None:
    suspended = cases[3]
    api.operations.resume(suspended.wid, "Now.", conn=suspended.kit.conn)
    assert (next_case(suspended), outcome(suspended, VERBS["signal"])) == ("done", "delivered")
