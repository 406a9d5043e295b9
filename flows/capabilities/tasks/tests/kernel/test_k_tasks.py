"""Tasks: who may take one, who holds it, and how it ends (T-022 to T-026, T-033 to T-036, T-145 to T-154)."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from flows import api
from flows.capabilities.tasks.api import Task
from flows.errors import TaskTaken
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel

CLERK, BOSS = ["r:Clerk"], ["r:Boss"]


@pytest.fixture
def office(kit: Kit) -> Kit:
    """A clerk checks, another person signs, a worker files."""
    kit.attrs("checked", "signed", "filed", "person")
    kit.trig(
        "tr_check", "checked is null", performer="person", role="Clerk", writes=["checked"], offline=True
    )
    kit.trig(
        "tr_sign",
        "checked is not null and signed is null",
        performer="person",
        role="Boss",
        candidate="person",
        not_by=["tr_check"],
        outcomes=["Approve: signed = 'yes'", "Send back: checked = null", "FAILED: signed = 'failed'"],
        deadline="4 hours",
    )
    kit.trig("tr_file", "signed is not null and filed is null")
    kit.final("filed is not null")
    return kit


def listed(kit: Kit, person: str, keys: list[str], **options: Any) -> list[Task]:
    return api.open_tasks(person, keys, conn=kit.conn, **options)


def only(kit: Kit, person: str, keys: list[str]) -> int:
    """Return the number of the only task that a person may take."""
    (found,) = listed(kit, person, keys)
    return found.job_id


def check(kit: Kit, person: str = "ana", data: str = "yes") -> None:
    """Perform the only open task of the clerk."""
    task = only(kit, person, CLERK)
    api.take_task(task, person, CLERK, conn=kit.conn)
    api.complete_task(task, person, {"checked": data}, conn=kit.conn)


def violations(kit: Kit) -> list[Any]:
    return kit.rows("select * from wedsql.violations() v where v.found > 0")


def test_a_task_is_taken_begun_and_completed_and_a_worker_goes_on(office: Kit) -> None:
    wid = office.start()
    task = only(office, "ana", CLERK)
    held = api.take_task(task, "ana", CLERK, conn=office.conn)
    assert (held.wid, held.flow, held.transition, held.state) == (wid, office.name, "tr_check", "S")
    assert listed(office, "bob", CLERK) == []
    (mine,) = api.own_tasks("ana", conn=office.conn)
    assert mine.job_id == task
    api.start_task(task, "ana", conn=office.conn)
    assert api.own_tasks("ana", conn=office.conn)[0].state == "X"
    done = api.complete_task(task, "ana", {"checked": "yes"}, claim=held.claim, conn=office.conn)
    assert (done.status, list(done.fired), done.repeated) == ("R", ["tr_sign"], False)
    assert (
        office.one("select actor from wedsql.wed_trace where wid = %s and seq = %s", [wid, done.seq]) == "ana"
    )
    (ended,) = api.done_tasks("ana", conn=office.conn)
    assert (ended.job_id, ended.outcome, ended.state, ended.seq) == (task, "SUCCEEDED", "D", done.seq)
    task = only(office, "eva", BOSS)
    api.take_task(task, "eva", BOSS, conn=office.conn)
    assert list(api.complete_task(task, "eva", outcome="Approve", conn=office.conn).fired) == ["tr_file"]
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
                    owners.append(api.take_task(task, f"p{number}.{turn}", CLERK, conn=conn).owner)
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
    first = api.take_task(task, "ana", CLERK, conn=office.conn)
    assert api.take_task(task, "ana", CLERK, conn=office.conn) == first
    api.start_task(task, "ana", conn=office.conn)
    assert api.take_task(task, "ana", CLERK, conn=office.conn).state == "X"
    assert api.take_task(task, "ana", CLERK, lock=True, conn=office.conn).state == "L"


def test_completing_twice_is_completing_once_and_otherwise_refused(office: Kit) -> None:
    office.start()
    task = only(office, "ana", CLERK)
    claim = api.take_task(task, "ana", CLERK, conn=office.conn).claim
    first = api.complete_task(task, "ana", {"checked": "yes"}, claim=claim, conn=office.conn)
    again = api.complete_task(task, "ana", {"checked": "yes"}, claim=claim, conn=office.conn)
    assert again.repeated and again.seq == first.seq
    with refused("WD593") as why:
        api.complete_task(task, "ana", {"checked": "no"}, conn=office.conn)
    assert "has been completed by ana" in why.message
    with refused("WD593"):
        api.complete_task(task, "bob", {"checked": "yes"}, conn=office.conn)


def test_an_outcome_sent_twice_is_one(office: Kit) -> None:
    office.start()
    check(office)
    task = only(office, "eva", BOSS)
    api.take_task(task, "eva", BOSS, conn=office.conn)
    first = api.complete_task(task, "eva", outcome="Approve", conn=office.conn)
    assert api.complete_task(task, "eva", outcome="Approve", conn=office.conn).seq == first.seq
    with refused("WD593"):
        api.complete_task(task, "eva", outcome="Send back", conn=office.conn)


@pytest.mark.parametrize(
    ("person", "keys", "said"),
    [
        ("bob", BOSS, 'for the role "Clerk", which bob does not have'),
        ("bob", [], 'for the role "Clerk"'),
        ("bob", ["p:ana", "r:clerk", "f:Clerk"], 'for the role "Clerk"'),
    ],
)
def test_who_has_not_the_role_cannot_take_it(office: Kit, person: str, keys: list[str], said: str) -> None:
    office.start()
    task = only(office, "ana", CLERK)
    with refused("WD591") as why:
        api.take_task(task, person, keys, conn=office.conn)
    assert said in why.message and listed(office, person, keys) == []


def test_four_eyes_whoever_checked_does_not_sign(office: Kit) -> None:
    office.start()
    check(office)
    assert listed(office, "ana", BOSS) == []
    task = only(office, "eva", BOSS)
    with refused("WD591") as why:
        api.take_task(task, "ana", BOSS, conn=office.conn)
    assert "having performed" in why.message
    with refused("WD591"):
        api.give_task(task, "eva", "ana", force=True, conn=office.conn)


@pytest.mark.parametrize(
    ("named", "person", "keys"),
    [
        ("eva", "eva", []),
        ("role:Judge", "jo", ["r:Judge"]),
        ("role: Judge ", "jo", ["r:Judge"]),
        ("", "eva", BOSS),
    ],
)
def test_an_attribute_names_who_performs_it(office: Kit, named: str, person: str, keys: list[str]) -> None:
    office.start(person=named)
    check(office)
    task = only(office, person, keys)
    if named:
        assert listed(office, "max", BOSS) == []
    assert api.take_task(task, person, keys, conn=office.conn).owner == person


def test_the_same_person_performs_the_next_step(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.trig("tr_a", "a is null", performer="person", role="Clerk")
    kit.trig("tr_b", "a is not null and b is null", performer="person", role="Clerk", same_as="tr_a")
    kit.final("b is not null")
    kit.start()
    task = only(kit, "ana", CLERK)
    api.take_task(task, "ana", CLERK, conn=kit.conn)
    api.complete_task(task, "ana", {"a": "x"}, conn=kit.conn)
    assert listed(kit, "bob", CLERK) == []
    assert only(kit, "ana", CLERK)


def test_without_a_role_it_is_for_the_people_of_the_flow(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_a", "a is null", performer="person")
    kit.start()
    assert listed(kit, "ana", CLERK) == []
    assert only(kit, "ana", [f"f:{kit.name}"])


def test_machines_never_get_a_task(office: Kit) -> None:
    wid = office.start()
    task = only(office, "ana", CLERK)
    for actor in ("", "w", "p:ana", "ana"):
        assert api.take_many(office.name, ["tr_check"], 9, actor=actor, conn=office.conn) == []
        assert api.lease_many(office.name, ["tr_check"], 9, actor or "w", conn=office.conn) == []
        assert not office.rows("select * from wedsql.offer({n}, array['tr_check'], 9, '{}', %s)", [actor])
        assert not office.rows("select * from {f}.hold(array['tr_check'], 9, %s)", [actor])
    sent = (
        "select ok from wedsql.complete_many({n}, array[%s], array[%s]::bigint[], array[null]::bigint[], %s)"
    )
    assert office.one(sent, [wid, task, [Jsonb({"checked": "yes"})]]) is False
    assert only(office, "ana", CLERK) == task


def test_a_task_given_back_is_open_again_and_its_old_claim_is_refused(office: Kit) -> None:
    office.start()
    task = only(office, "ana", CLERK)
    old = api.take_task(task, "ana", CLERK, conn=office.conn)
    api.release_task(task, "ana", conn=office.conn)
    assert only(office, "bob", CLERK) == task
    with refused("WD593"):
        api.complete_task(task, "ana", {"checked": "yes"}, claim=old.claim, conn=office.conn)
    new = api.take_task(task, "ana", CLERK, conn=office.conn)
    assert new.claim != old.claim
    with refused("WD593") as why:
        api.complete_task(task, "ana", {"checked": "yes"}, claim=old.claim, conn=office.conn)
    assert "given" in why.message
    with refused("WD592"):
        api.release_task(task, "bob", conn=office.conn)
    api.release_task(task, "boss", force=True, conn=office.conn)
    assert only(office, "bob", CLERK) == task


def test_a_task_is_given_to_a_colleague_who_alone_may_take_it(office: Kit) -> None:
    office.start()
    task = only(office, "ana", CLERK)
    with refused("WD593"):
        api.give_task(task, "ana", "bob", conn=office.conn)
    api.take_task(task, "ana", CLERK, conn=office.conn)
    api.give_task(task, "ana", "bob", "on holiday", conn=office.conn)
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
    api.take_task(task, "ana", CLERK, conn=office.conn)
    until = office.one("select wedsql.now() + interval '2 hours'")
    api.put_task_aside(task, "ana", until, conn=office.conn)
    assert api.own_tasks("ana", conn=office.conn) == []
    assert [each.job_id for each in api.own_tasks("ana", aside=True, conn=office.conn)] == [task]
    office.clock("3 hours")
    assert [each.job_id for each in api.own_tasks("ana", conn=office.conn)] == [task]
    with refused("WD009"):
        api.put_task_aside(task, "ana", until, conn=office.conn)
    api.put_task_aside(task, "ana", None, conn=office.conn)


def test_only_a_task_that_allows_it_is_locked(office: Kit) -> None:
    office.start()
    task = only(office, "ana", CLERK)
    assert api.take_task(task, "ana", CLERK, lock=True, conn=office.conn).state == "L"
    api.complete_task(task, "ana", {"checked": "yes"}, conn=office.conn)
    task = only(office, "eva", BOSS)
    with refused("WD593") as why:
        api.take_task(task, "eva", BOSS, lock=True, conn=office.conn)
    assert "with a connection only" in why.message


def test_an_outcome_is_one_of_those_that_there_are(office: Kit) -> None:
    wid = office.start()
    check(office)
    task = only(office, "eva", BOSS)
    api.take_task(task, "eva", BOSS, conn=office.conn)
    for outcome in (None, "approve", "SUCCEEDED", ""):
        with refused("WD594") as why:
            api.complete_task(task, "eva", outcome=outcome, conn=office.conn)
        assert "Approve, Send back, FAILED" in why.hint
    with refused("WD009"):
        api.complete_task(task, "eva", {"signed": "x"}, "Approve", conn=office.conn)
    api.complete_task(task, "eva", outcome="Send back", conn=office.conn)
    assert office.state(wid)["checked"] is None and only(office, "ana", CLERK)


def test_a_task_without_outcomes_succeeds(office: Kit) -> None:
    office.start()
    task = only(office, "ana", CLERK)
    api.take_task(task, "ana", CLERK, conn=office.conn)
    with refused("WD594"):
        api.complete_task(task, "ana", {"checked": "x"}, "Approve", conn=office.conn)
    assert api.complete_task(task, "ana", {"checked": "x"}, "SUCCEEDED", conn=office.conn).seq


def test_what_it_may_not_write_is_refused_and_the_task_stays(office: Kit) -> None:
    office.start()
    task = only(office, "ana", CLERK)
    api.take_task(task, "ana", CLERK, conn=office.conn)
    for data, code in (({"signed": "x"}, "WD210"), ({"none": 1}, "WD002")):
        with refused(code):
            api.complete_task(task, "ana", data, conn=office.conn)
    assert [each.job_id for each in api.own_tasks("ana", conn=office.conn)] == [task]
    assert violations(office) == []


def test_what_cannot_be_done_fails_by_its_outcome_or_is_an_exception(office: Kit) -> None:
    wid = office.start()
    check(office)
    task = only(office, "eva", BOSS)
    api.take_task(task, "eva", BOSS, conn=office.conn)
    with refused("WD009"):
        api.fail_task(task, "eva", " ", conn=office.conn)
    assert api.fail_task(task, "eva", "no pen", conn=office.conn) == "FAILED"
    assert office.state(wid)["signed"] == "failed"
    (ended,) = api.done_tasks("eva", conn=office.conn)
    assert (ended.state, ended.outcome) == ("F", "FAILED")
    other = office.start()
    task = only(office, "ana", CLERK)
    api.take_task(task, "ana", CLERK, conn=office.conn)
    assert api.fail_task(task, "ana", "no paper", conn=office.conn) == "exception"
    assert office.status(other) == "E" and listed(office, "ana", CLERK) == []
    assert api.own_tasks("ana", conn=office.conn) == [] and violations(office) == []
    api.retry_job(other, task, "there is paper", actor="boss", conn=office.conn)
    assert only(office, "bob", CLERK) == task and violations(office) == []


def test_suspending_holds_a_task_back_and_resuming_opens_it(office: Kit) -> None:
    wid = office.start()
    task = only(office, "ana", CLERK)
    api.take_task(task, "ana", CLERK, conn=office.conn)
    api.suspend(wid, "wait", actor="boss", conn=office.conn)
    assert listed(office, "ana", CLERK) == [] and api.own_tasks("ana", conn=office.conn) == []
    with refused("WD593") as why:
        api.take_task(task, "ana", CLERK, conn=office.conn)
    assert "held back" in why.message and violations(office) == []
    api.resume(wid, "go on", actor="boss", conn=office.conn)
    assert only(office, "ana", CLERK) == task and violations(office) == []


@pytest.mark.parametrize("end", ["cancel", "withdraw", "roll_back"])
def test_what_ends_the_job_ends_the_task(office: Kit, end: str) -> None:
    wid = office.start()
    check(office)
    task = only(office, "eva", BOSS)
    api.take_task(task, "eva", BOSS, conn=office.conn)
    if end == "cancel":
        api.cancel(wid, "x", actor="boss", conn=office.conn)
    elif end == "withdraw":
        api.release_task(task, "eva", conn=office.conn)
        api.withdraw_job(wid, task, "x", actor="boss", conn=office.conn)
    else:
        api.release_task(task, "eva", conn=office.conn)
        api.roll_back(wid, 1, "x", actor="boss", conn=office.conn)
    assert listed(office, "eva", BOSS) == [] and api.own_tasks("eva", conn=office.conn) == []
    with refused("WD593"):
        api.take_task(task, "eva", BOSS, conn=office.conn)
    assert violations(office) == []


def test_who_completes_the_job_at_the_desk_has_done_the_task(office: Kit) -> None:
    wid = office.start()
    task = only(office, "ana", CLERK)
    arguments = {"job": task, "changes": {"checked": "by the boss"}}
    api.repair(wid, "complete", arguments, "ana is away", actor="boss", conn=office.conn)
    (done,) = api.done_tasks("boss", conn=office.conn)
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
        api.signal(kit.name, "answer", {"a": "x"}, to=wid, actor="bank", conn=kit.conn).outcome == "delivered"
    )
    (done,) = api.done_tasks("bank", conn=kit.conn)
    assert (done.job_id, done.state) == (task, "D") and kit.status(wid) == "F" and violations(kit) == []


def test_revalidate_withdraws_a_task_whose_condition_ended(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.trig("tr_a", "a is null and b is null", performer="person", role="Clerk", revalidate="withdraw")
    kit.trig("tr_b", "b is null")
    kit.trig("tr_c", "b = 'x' and a is null")
    wid = kit.start()
    task = only(kit, "ana", CLERK)
    api.take_task(task, "ana", CLERK, conn=kit.conn)
    kit.run("tr_b", wid, b="x")
    assert api.own_tasks("ana", conn=kit.conn) == [] and violations(kit) == []


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
        api.take_task(task, "ana", CLERK, conn=kit.conn)


def test_tasks_follow_the_options_of_their_rule(office: Kit) -> None:
    office.start()
    task = only(office, "ana", CLERK)
    office.rows("update {f}.wed_trig set role = 'Boss' where trname = 'tr_check'")
    assert listed(office, "ana", CLERK) == [] and only(office, "eva", BOSS) == task
    office.rows("update {f}.wed_trig set deadline = '1 hour' where trname = 'tr_check'")
    (found,) = listed(office, "eva", BOSS)
    assert found.due_at is not None and (found.due_at - found.arrived_at).total_seconds() == 3600
    office.rows(
        "update {f}.wed_trig set performer = 'worker', deadline = null, offline = false"
        " where trname = 'tr_check'"
    )
    assert listed(office, "eva", BOSS) == []
    assert list(api.take(office.name, ["tr_check"], conn=office.conn))
    office.rows("update {f}.wed_trig set performer = 'person' where trname = 'tr_check'")
    assert only(office, "eva", BOSS) == task and violations(office) == []


def test_lists_have_orders_and_pages(office: Kit) -> None:
    wids = [office.start() for _ in range(7)]
    first = [each.job_id for each in listed(office, "ana", CLERK)]
    assert first == sorted(first) and len(first) == len(wids)
    for number, task in enumerate(first):
        api.prioritize_job(wids[number], task, number % 3, "x", actor="boss", conn=office.conn)
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


def test_a_sheet_has_what_the_task_needs_and_its_claim_only_for_the_owner(office: Kit) -> None:
    office.start(person="ana & co")
    task = only(office, "ana", CLERK)
    office.rows(
        "update {f}.wed_trig set application = 'https://x.example/{{person}}?a=1', description = 'Look.'"
        " where trname = 'tr_check'".replace("{{", "{").replace("}}", "}")
    )
    held = api.take_task(task, "ana", CLERK, conn=office.conn)
    sheet = api.read_task(task, "ana", conn=office.conn)
    assert (list(sheet.reads), list(sheet.writes), list(sheet.outcomes)) == (["checked"], ["checked"], [])
    assert sheet.application == "https://x.example/ana%20%26%20co?a=1"
    assert sheet.claim == str(held.claim) and api.read_task(task, "bob", conn=office.conn).claim is None
    with refused("WD590"):
        api.read_task(10**15, "ana", conn=office.conn)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"child": "other"}, "WD009"),
        ({"candidate": "none"}, "WD002"),
        ({"candidate": "n"}, "WD009"),
        ({"outcomes": ["Yes: a = 1/0"]}, "WD211"),
        ({"outcomes": ["Yes: none = 'x'"]}, "WD211"),
        ({"outcomes": ["Yes: a = 'x'", "yes: a = 'y'"]}, "WD009"),
        ({"outcomes": [": a = 'x'"]}, "WD009"),
        ({"outcomes": ["Yes: a = 'x'"], "writes": ["n"]}, "WD009"),
        ({"application": "javascript:alert(1)"}, "WD009"),
        ({"application": "//x.example"}, "WD009"),
        ({"application": "https://x/{none}"}, "WD002"),
        ({"deadline": "0"}, "WD009"),
    ],
)
def test_options_that_can_never_work_are_refused(kit: Kit, options: dict[str, Any], code: str) -> None:
    kit.attrs("a")
    kit.attr("n", kind="integer")
    with refused(code):
        kit.trig("t", "a is null", **{"performer": "person", **options})


def test_renaming_an_attribute_follows_in_the_options(kit: Kit) -> None:
    kit.attrs("a", "who")
    kit.trig(
        "t",
        "a is null",
        performer="person",
        candidate="who",
        outcomes=["Yes: a = 'x', who = null", "No"],
        application="/x/{who}/",
    )
    kit.rows("update {f}.wed_attr set aname = 'person' where aname = 'who'")
    (found,) = kit.rows("select candidate, outcomes, application from {f}.wed_trig where trname = 't'")
    assert tuple(found) == ("person", ["Yes: a = 'x', person = null", "No"], "/x/{person}/")
