"""How a task ends (T-023, T-145 to T-154)."""

from __future__ import annotations

import pytest

from flows import api
from flows.capabilities.tasks.tests.kernel.office import BOSS, CLERK, check, listed, only, violations
from flows.tests.kit import Kit, broken, refused

pytestmark = pytest.mark.kernel


def test_completing_twice_is_completing_once_and_otherwise_refused(office: Kit) -> None:
    office.start()
    task = only(office, "ana", CLERK)
    claim = api.tasks.take(task, "ana", CLERK, conn=office.conn).claim
    first = api.tasks.complete(task, "ana", {"checked": "yes"}, claim=claim, conn=office.conn)
    again = api.tasks.complete(task, "ana", {"checked": "yes"}, claim=claim, conn=office.conn)
    assert again.repeated and again.seq == first.seq
    with refused("WD593") as why:
        api.tasks.complete(task, "ana", {"checked": "no"}, conn=office.conn)
    assert "has been completed by ana" in why.message
    with refused("WD593"):
        api.tasks.complete(task, "bob", {"checked": "yes"}, conn=office.conn)


def test_an_outcome_sent_twice_is_one(office: Kit) -> None:
    office.start()
    check(office)
    task = only(office, "eva", BOSS)
    api.tasks.take(task, "eva", BOSS, conn=office.conn)
    first = api.tasks.complete(task, "eva", outcome="Approve", conn=office.conn)
    assert api.tasks.complete(task, "eva", outcome="Approve", conn=office.conn).seq == first.seq
    with refused("WD593"):
        api.tasks.complete(task, "eva", outcome="Send back", conn=office.conn)


def test_an_outcome_is_one_of_those_that_there_are(office: Kit) -> None:
    wid = office.start()
    check(office)
    task = only(office, "eva", BOSS)
    api.tasks.take(task, "eva", BOSS, conn=office.conn)
    for outcome in (None, "approve", "SUCCEEDED", ""):
        with refused("WD594") as why:
            api.tasks.complete(task, "eva", outcome=outcome, conn=office.conn)
        assert "Approve, Send back, FAILED" in why.hint
    with refused("WD009"):
        api.tasks.complete(task, "eva", {"signed": "x"}, "Approve", conn=office.conn)
    api.tasks.complete(task, "eva", outcome="Send back", conn=office.conn)
    assert office.state(wid)["checked"] is None and only(office, "ana", CLERK)


def test_a_task_without_outcomes_succeeds(office: Kit) -> None:
    office.start()
    task = only(office, "ana", CLERK)
    api.tasks.take(task, "ana", CLERK, conn=office.conn)
    with refused("WD594"):
        api.tasks.complete(task, "ana", {"checked": "x"}, "Approve", conn=office.conn)
    assert api.tasks.complete(task, "ana", {"checked": "x"}, "SUCCEEDED", conn=office.conn).seq


def test_what_it_may_not_write_is_refused_and_the_task_stays(office: Kit) -> None:
    office.start()
    task = only(office, "ana", CLERK)
    api.tasks.take(task, "ana", CLERK, conn=office.conn)
    for data, code in (({"signed": "x"}, "WD210"), ({"none": 1}, "WD002")):
        with refused(code):
            api.tasks.complete(task, "ana", data, conn=office.conn)
    assert [each.job_id for each in api.tasks.own("ana", conn=office.conn)] == [task]
    assert violations(office) == []


def test_what_cannot_be_done_fails_by_its_outcome_or_is_an_exception(office: Kit) -> None:
    wid = office.start()
    check(office)
    task = only(office, "eva", BOSS)
    api.tasks.take(task, "eva", BOSS, conn=office.conn)
    with refused("WD009"):
        api.tasks.fail(task, "eva", " ", conn=office.conn)
    assert api.tasks.fail(task, "eva", "no pen", conn=office.conn) == "FAILED"
    assert office.state(wid)["signed"] == "failed"
    (ended,) = api.tasks.done("eva", conn=office.conn)
    assert (ended.state, ended.outcome) == ("F", "FAILED")
    other = office.start()
    task = only(office, "ana", CLERK)
    api.tasks.take(task, "ana", CLERK, conn=office.conn)
    assert api.tasks.fail(task, "ana", "no paper", conn=office.conn) == "exception"
    assert office.status(other) == "E" and listed(office, "ana", CLERK) == []
    assert api.tasks.own("ana", conn=office.conn) == [] and violations(office) == []
    api.operations.retry_job(other, task, "there is paper", actor="boss", conn=office.conn)
    assert only(office, "bob", CLERK) == task and violations(office) == []


@pytest.mark.parametrize("end", ["cancel", "withdraw", "roll_back"])
def test_what_ends_the_job_ends_the_task(office: Kit, end: str) -> None:
    wid = office.start()
    check(office)
    task = only(office, "eva", BOSS)
    api.tasks.take(task, "eva", BOSS, conn=office.conn)
    if end == "cancel":
        api.instances.cancel(wid, "x", actor="boss", conn=office.conn)
    elif end == "withdraw":
        api.tasks.release(task, "eva", conn=office.conn)
        api.operations.withdraw_job(wid, task, "x", actor="boss", conn=office.conn)
    else:
        api.tasks.release(task, "eva", conn=office.conn)
        api.compensations.roll_back(wid, 1, "x", actor="boss", conn=office.conn)
    assert listed(office, "eva", BOSS) == [] and api.tasks.own("eva", conn=office.conn) == []
    with refused("WD593"):
        api.tasks.take(task, "eva", BOSS, conn=office.conn)
    assert violations(office) == []


def test_who_completes_the_job_at_the_desk_has_done_the_task(office: Kit) -> None:
    wid = office.start()
    task = only(office, "ana", CLERK)
    arguments = {"job": task, "changes": {"checked": "by the boss"}}
    api.repairs.repair(wid, "complete", arguments, "ana is away", actor="boss", conn=office.conn)
    (done,) = api.tasks.done("boss", conn=office.conn)
    assert (done.job_id, done.state, done.outcome) == (task, "D", "SUCCEEDED")
    assert done.seq == office.one(
        "select max(seq) from wedsql.wed_trace where wid = %s and job_id is not null", [wid]
    )


def test_a_signal_completes_a_task_that_waits_for_one(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("answer", "a is null", performer="person", role="Clerk", signal=True)
    kit.final("a is not null")
    wid = kit.start()
    task = only(kit, "ana", CLERK)
    assert (
        api.signals.send(kit.name, "answer", {"a": "x"}, to=wid, actor="bank", conn=kit.conn).outcome
        == "delivered"
    )
    (done,) = api.tasks.done("bank", conn=kit.conn)
    assert (done.job_id, done.state) == (task, "D") and kit.status(wid) == "F" and violations(kit) == []


def test_revalidate_withdraws_a_task_whose_condition_ended(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.trig("tr_a", "a is null and b is null", performer="person", role="Clerk", revalidate="withdraw")
    kit.trig("tr_b", "b is null")
    kit.trig("tr_c", "b = 'x' and a is null")
    wid = kit.start()
    task = only(kit, "ana", CLERK)
    api.tasks.take(task, "ana", CLERK, conn=kit.conn)
    kit.run("tr_b", wid, b="x")
    assert api.tasks.own("ana", conn=kit.conn) == [] and violations(kit) == []


def test_revalidate_at_take_withdraws_as_a_person_takes_it(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.trig("tr_a", "a is null and b is null", performer="person", role="Clerk", revalidate="at_take")
    kit.trig("tr_b", "b is null")
    kit.trig("tr_c", "b = 'x' and a is null")
    wid = kit.start()
    task = only(kit, "ana", CLERK)
    kit.run("tr_b", wid, b="x")
    assert only(kit, "ana", CLERK) == task
    with refused("WD593"):
        api.tasks.take(task, "ana", CLERK, conn=kit.conn)


@pytest.mark.parametrize("many", [False, True])
def test_a_task_names_its_own_step_where_the_database_goes_on_by_itself(kit: Kit, *, many: bool) -> None:
    kit.attrs("a", "b", "c")
    kit.trig(
        "tr_a", "a is null", performer="person", role="Clerk", writes=["a"], outcomes=["FAILED: a = 'no'"]
    )
    kit.trig("tr_b", "a is not null and b is null", performer="database", sets="b = 'yes'")
    kit.trig("tr_c", "b is not null and c is null")
    kit.final("c is not null")
    kit.start()
    failed = only(kit, "ana", CLERK)
    api.tasks.take(failed, "ana", CLERK, conn=kit.conn)
    api.tasks.fail(failed, "ana", "no one at home", conn=kit.conn)
    kit.start()
    task = only(kit, "ana", CLERK)
    if many:
        api.tasks.complete_many({task: {"a": "yes"}}, "ana", keys=CLERK, conn=kit.conn)
    else:
        api.tasks.take(task, "ana", CLERK, conn=kit.conn)
        api.tasks.complete(task, "ana", {"a": "yes"}, conn=kit.conn)
    steps = """select t.job_id, t.seq, h.seq as step
               from wedsql.task t join wedsql.wed_trace h using (job_id) order by 1"""
    assert [tuple(row) for row in kit.rows(steps)] == [(failed, 2, 2), (task, 2, 2)]
    assert broken(kit) == []
