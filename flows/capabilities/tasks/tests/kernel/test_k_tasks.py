"""Tasks: how one is taken, held and given on (T-022 to T-026, T-150)."""

from __future__ import annotations

import threading

import pytest

from flows import api
from flows.capabilities.tasks.tests.kernel.office import BOSS, CLERK, listed, only, violations
from flows.errors import TaskTaken
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel


def test_a_task_is_taken_begun_and_completed_and_a_worker_goes_on(office: Kit) -> None:
    wid = office.start()
    task = only(office, "ana", CLERK)
    held = api.tasks.take(task, "ana", CLERK, conn=office.conn)
    assert (held.wid, held.flow, held.transition, held.state) == (wid, office.name, "tr_check", "S")
    assert listed(office, "bob", CLERK) == []
    (mine,) = api.tasks.own("ana", conn=office.conn)
    assert mine.job_id == task
    api.tasks.start(task, "ana", conn=office.conn)
    assert api.tasks.own("ana", conn=office.conn)[0].state == "X"
    done = api.tasks.complete(task, "ana", {"checked": "yes"}, claim=held.claim, conn=office.conn)
    assert (done.status, list(done.fired), done.repeated) == ("R", ["tr_sign"], False)
    assert (
        office.one("select actor from wedsql.wed_trace where wid = %s and seq = %s", [wid, done.seq]) == "ana"
    )
    (ended,) = api.tasks.done("ana", conn=office.conn)
    assert (ended.job_id, ended.outcome, ended.state, ended.seq) == (task, "SUCCEEDED", "D", done.seq)
    task = only(office, "eva", BOSS)
    api.tasks.take(task, "eva", BOSS, conn=office.conn)
    assert list(api.tasks.complete(task, "eva", outcome="Approve", conn=office.conn).fired) == ["tr_file"]
    office.run("tr_file", wid, filed="yes")
    assert office.status(wid) == "F" and violations(office) == []


def test_of_fifty_people_one_gets_the_task_and_the_others_read_who(office: Kit) -> None:
    office.start()
    task = only(office, "ana", CLERK)
    owners: list[str] = []
    begin = threading.Barrier(8)

    def take(number: int) -> None:
        with office.connect() as conn:
            begin.wait()
            for turn in range(6):
                try:
                    owners.append(api.tasks.take(task, f"p{number}.{turn}", CLERK, conn=conn).owner)
                except TaskTaken as error:
                    owners.append(str(error.where["owner"]))

    crowd = [threading.Thread(target=take, args=(n,)) for n in range(8)]
    for each in crowd:
        each.start()
    for each in crowd:
        each.join()
    assert len(owners) == 48 and len(set(owners)) == 1 and violations(office) == []


def test_taking_twice_is_taking_once(office: Kit) -> None:
    office.start()
    task = only(office, "ana", CLERK)
    first = api.tasks.take(task, "ana", CLERK, conn=office.conn)
    assert api.tasks.take(task, "ana", CLERK, conn=office.conn) == first
    api.tasks.start(task, "ana", conn=office.conn)
    assert api.tasks.take(task, "ana", CLERK, conn=office.conn).state == "X"
    assert api.tasks.take(task, "ana", CLERK, lock=True, conn=office.conn).state == "L"


def test_a_task_given_back_is_open_again_and_its_old_claim_is_refused(office: Kit) -> None:
    office.start()
    task = only(office, "ana", CLERK)
    old = api.tasks.take(task, "ana", CLERK, conn=office.conn)
    api.tasks.release(task, "ana", conn=office.conn)
    assert only(office, "bob", CLERK) == task
    with refused("WD593"):
        api.tasks.complete(task, "ana", {"checked": "yes"}, claim=old.claim, conn=office.conn)
    new = api.tasks.take(task, "ana", CLERK, conn=office.conn)
    assert new.claim != old.claim
    with refused("WD593") as why:
        api.tasks.complete(task, "ana", {"checked": "yes"}, claim=old.claim, conn=office.conn)
    assert "given" in why.message
    with refused("WD592"):
        api.tasks.release(task, "bob", conn=office.conn)
    api.tasks.release(task, "boss", force=True, conn=office.conn)
    assert only(office, "bob", CLERK) == task


def test_a_task_is_given_to_a_colleague_who_alone_may_take_it(office: Kit) -> None:
    office.start()
    task = only(office, "ana", CLERK)
    with refused("WD593"):
        api.tasks.give(task, "ana", "bob", conn=office.conn)
    api.tasks.take(task, "ana", CLERK, conn=office.conn)
    api.tasks.give(task, "ana", "bob", "on holiday", conn=office.conn)
    assert listed(office, "eva", CLERK) == []
    (given,) = listed(office, "bob", [])
    assert (given.job_id, given.given_by) == (task, "ana")
    log = office.rows(
        "select outcome, actor, message from wedsql.job_log where job_id = %s order by id", [task]
    )
    assert tuple(log[-1]) == ("given", "ana", "bob: on holiday")


def test_a_task_is_put_aside_until_its_moment(office: Kit) -> None:
    office.start()
    task = only(office, "ana", CLERK)
    api.tasks.take(task, "ana", CLERK, conn=office.conn)
    until = office.one("select wedsql.now() + interval '2 hours'")
    api.tasks.put_aside(task, "ana", until, conn=office.conn)
    assert api.tasks.own("ana", conn=office.conn) == []
    assert [each.job_id for each in api.tasks.own("ana", aside=True, conn=office.conn)] == [task]
    office.clock("3 hours")
    assert [each.job_id for each in api.tasks.own("ana", conn=office.conn)] == [task]
    with refused("WD009"):
        api.tasks.put_aside(task, "ana", until, conn=office.conn)
    api.tasks.put_aside(task, "ana", None, conn=office.conn)


def test_only_a_task_that_allows_it_is_locked(office: Kit) -> None:
    office.start()
    task = only(office, "ana", CLERK)
    assert api.tasks.take(task, "ana", CLERK, lock=True, conn=office.conn).state == "L"
    api.tasks.complete(task, "ana", {"checked": "yes"}, conn=office.conn)
    task = only(office, "eva", BOSS)
    with refused("WD593") as why:
        api.tasks.take(task, "eva", BOSS, lock=True, conn=office.conn)
    assert "with a connection only" in why.message


def test_suspending_holds_a_task_back_and_resuming_opens_it(office: Kit) -> None:
    wid = office.start()
    task = only(office, "ana", CLERK)
    api.tasks.take(task, "ana", CLERK, conn=office.conn)
    api.operations.suspend(wid, "wait", actor="boss", conn=office.conn)
    assert listed(office, "ana", CLERK) == [] and api.tasks.own("ana", conn=office.conn) == []
    with refused("WD593") as why:
        api.tasks.take(task, "ana", CLERK, conn=office.conn)
    assert "held back" in why.message and violations(office) == []
    api.operations.resume(wid, "go on", actor="boss", conn=office.conn)
    assert only(office, "ana", CLERK) == task and violations(office) == []


def test_lists_have_orders_and_pages(office: Kit) -> None:
    wids = [office.start() for _ in range(7)]
    first = [each.job_id for each in listed(office, "ana", CLERK)]
    assert first == sorted(first) and len(first) == len(wids)
    for number, task in enumerate(first):
        api.operations.prioritize_job(wids[number], task, number % 3, "x", actor="boss", conn=office.conn)
    for order in ("arrival", "priority", "deadline"):
        whole = listed(office, "ana", [*CLERK, "r:None"], order=order)
        pages, after = [], None
        while page := listed(office, "ana", CLERK, order=order, after=after, limit=3):
            pages += page
            after = page[-1].job_id
        assert pages == whole and len(whole) == 7
        if order == "priority":
            assert [each.priority for each in whole] == sorted((n % 3 for n in range(7)), reverse=True)
    with refused("WD009"):
        listed(office, "ana", CLERK, order="colour")
    assert listed(office, "ana", CLERK, flow="none") == []
    assert len(listed(office, "ana", CLERK, flow=office.name)) == 7


def test_a_flow_that_is_dropped_takes_its_tasks_with_it(office: Kit) -> None:
    """Those of every state, and what people have typed for them."""
    name = f"{office.name}_d"
    definition = api.drafts.running_definition(office.name, conn=office.conn)[1]
    api.flows.create(name, conn=office.conn)
    api.flows.publish(name, definition, conn=office.conn)
    for _ in range(3):
        api.instances.start(name, {}, conn=office.conn)
    first, second, _third = [one.job_id for one in api.tasks.of_flow(name, conn=office.conn)]
    for task in (first, second):
        api.tasks.take(task, "ana", CLERK, conn=office.conn)
        api.task_forms.keep_draft(task, "ana", {"value-checked": "y"}, conn=office.conn)
    api.tasks.complete(first, "ana", {"checked": "yes"}, conn=office.conn)
    flow = office.one("select id from wedsql.flow where name = %s", [name])
    api.flows.drop(name, force=True, conn=office.conn)
    for table in ("task", "task_draft", "task_watch", "task_setting"):
        by = "job_id = any (%s)" if table == "task_draft" else "flow_id = any (%s)"
        assert office.one(f"select count(*) from wedsql.{table} where {by}",
                          [[second] if table == "task_draft" else [flow]]) == 0, table  # fmt: skip
