"""Deadlines, messages, and the responsible person (T-102, T-126 to T-139, K-56, D-10)."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

import pytest

from flows import api
from flows.capabilities.sla.api import Calendar
from flows.capabilities.tasks.deadlines import Message, TaskSettings
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel

CLERK = ["r:Clerk"]
WARNED = TaskSettings("eva", ("24", "12", "6"))


@pytest.fixture
def office(kit: Kit) -> Kit:
    """A clerk checks within two days, a worker files."""
    kit.attrs("checked", "filed")
    kit.trig(
        "tr_check",
        "checked is null",
        performer="person",
        role="Clerk",
        deadline="2 days",
        outcomes=["Done: checked = 'yes'"],
    )
    kit.trig("tr_file", "checked is not null and filed is null")
    kit.final("filed is not null")
    return kit


def start(kit: Kit, settings: Any = WARNED) -> int:
    return api.persons.start_with_settings(kit.name, {}, settings, actor="bob", conn=kit.conn)


def sent_to(kit: Kit, person: str, kind: str | None = None) -> list[Message]:
    return [m for m in api.persons.messages(person, kind=kind, conn=kit.conn) if m.flow == kit.name]


def hours(kit: Kit, person: str) -> list[float]:
    """Return the hours of the messages about deadlines, in the order in which they were sent."""
    return [m.facts["hours"] for m in reversed(sent_to(kit, person, "d"))]


def task_of(kit: Kit, wid: int) -> Any:
    return api.tasks.of_instance(wid, conn=kit.conn)[0]


def taken(kit: Kit, wid: int, person: str = "ana") -> int:
    task = task_of(kit, wid).job_id
    api.tasks.take(task, person, CLERK, conn=kit.conn)
    return int(task)


def violations(kit: Kit) -> list[Any]:
    return kit.rows("select * from wedsql.violations() v where v.found > 0")


def test_two_days_are_48_hours(office: Kit) -> None:
    """D-10."""
    task = task_of(office, start(office))
    assert task.due_at - task.arrived_at == timedelta(hours=48)


def test_each_number_of_hours_is_sent_once_to_the_responsible_and_the_holder(office: Kit) -> None:
    """T-131, T-137: V = {6, 12, 24}."""
    wid = start(office)
    office.reap("23 hours")
    assert hours(office, "eva") == []
    office.reap("24 hours 1 second")
    assert hours(office, "eva") == [24]
    taken(office, wid)
    office.reap("25 hours")
    office.reap("37 hours")
    office.reap("43 hours")
    office.reap("49 hours")
    office.reap("60 hours")
    assert hours(office, "eva") == [24, 12, 6, 0] and hours(office, "ana") == [12, 6, 0]


@pytest.mark.parametrize("later", ["49 hours", "400 days"])
def test_what_was_due_while_no_reaper_ran_is_sent_once(office: Kit, later: str) -> None:
    """A clock that jumps is the same."""
    start(office)
    office.reap(later)
    office.reap(later)
    office.clock("0")
    office.reap()
    office.reap(later)
    assert hours(office, "eva") == [24, 12, 6, 0]


def test_a_task_of_a_clock_that_was_ahead_has_its_time_from_when_it_was_set_back(office: Kit) -> None:
    office.reap("1 day")
    wid, other = start(office), start(office)
    task = taken(office, wid)
    until = office.one("select wedsql.now() + interval '5 days'")
    api.tasks.extend_deadline(task_of(office, other).job_id, "eva", until, conn=office.conn)
    office.reap("0")
    now, day = office.one("select wedsql.now()"), timedelta(days=1)
    found = task_of(office, wid)
    assert found.arrived_at <= now and found.owned_at <= now and found.owner == "ana"
    assert 2 * day - timedelta(minutes=1) < found.due_at - now < 2 * day
    assert task_of(office, other).due_at == until, "what a person has set stays"
    next_at = office.one("select next_at from wedsql.task_watch where job_id = %s", [task])
    assert next_at - now < day, "24 hours before the deadline"
    assert violations(office) == []
    office.reap("0")
    assert task_of(office, wid).due_at == found.due_at


def test_hours_that_are_longer_than_the_time_for_the_task_are_left_out(office: Kit) -> None:
    start(office, {"responsible": "eva", "warnings": ["72", "48", "1.5"]})
    office.reap("49 hours")
    assert hours(office, "eva") == [48, 1.5, 0]


def test_the_reaper_is_needed_when_the_next_message_is_due(office: Kit) -> None:
    office.reap()
    wid = start(office)
    first = office.one("select min(next_at) from wedsql.task_watch where wid = %s", [wid])
    assert first == task_of(office, wid).due_at - timedelta(hours=24)
    assert office.one("select wedsql._on_next_due_tasks()") <= first
    task = taken(office, wid)
    api.tasks.complete(task, "ana", outcome="Done", conn=office.conn)
    assert office.rows("select from wedsql.task_watch where wid = %s", [wid]) == []


def test_the_responsible_person_is_sent_of_start_and_end(office: Kit) -> None:
    """T-136, T-137, T-139."""
    wid = start(office)
    task = taken(office, wid)
    api.tasks.complete(task, "ana", outcome="Done", conn=office.conn)
    office.run("tr_file", wid, filed="yes")
    assert office.status(wid) == "F"
    assert [(m.kind, m.wid, m.flow) for m in sent_to(office, "eva")] == [
        ("e", wid, office.name),
        ("s", wid, office.name),
    ]
    assert sent_to(office, "eva")[1].facts == {"actor": "bob"} and sent_to(office, "ana") == []


def test_a_cancelled_instance_has_ended(office: Kit) -> None:
    wid = start(office)
    api.instances.cancel(wid, "no longer needed", actor="bob", conn=office.conn)
    assert [m.kind for m in sent_to(office, "eva")] == ["e", "s"]
    assert sent_to(office, "eva")[0].facts == {"status": office.status(wid)}


def test_the_flow_has_the_defaults_and_the_start_chooses(office: Kit) -> None:
    office.policy(responsible="max", warnings=["10"])
    first, second = office.start(), start(office, {"responsible": "eva"})
    chosen = api.persons.settings(first, conn=office.conn)
    assert chosen is not None and (chosen.responsible, list(chosen.warnings)) == ("max", ["10"])
    chosen = api.persons.settings(second, conn=office.conn)
    assert chosen is not None and (chosen.responsible, list(chosen.warnings)) == ("eva", ["10"])
    assert [(m.kind, m.wid) for m in sent_to(office, "max")] == [("s", first)]
    assert [(m.kind, m.wid) for m in sent_to(office, "eva")] == [("s", second)]
    office.policy(responsible="ida")
    chosen = api.persons.settings(first, conn=office.conn)
    assert chosen is not None and chosen.responsible == "max"


def test_a_start_with_a_key_that_is_known_keeps_the_settings(office: Kit) -> None:
    first = api.persons.start_with_settings(office.name, {}, WARNED, key="k", conn=office.conn)
    again = api.persons.start_with_settings(
        office.name, {}, {"responsible": "ida"}, key="k", conn=office.conn
    )
    assert again == first and sent_to(office, "ida") == []


def test_a_start_that_is_refused_says_why(office: Kit) -> None:
    with refused("WD002", "WD005", "WD006"):
        api.persons.start_with_settings(office.name, {"nothing": "1"}, WARNED, conn=office.conn)


def test_settings_change_while_the_instance_runs(office: Kit) -> None:
    wid = start(office)
    office.reap("30 hours")
    with refused("WD591") as why:
        api.persons.set_settings(wid, {"responsible": "bob"}, "bob", conn=office.conn)
    assert why.facts["responsible"] == "eva"
    api.persons.set_settings(wid, {"warnings": ["24", "20", "15", "6"]}, "eva", conn=office.conn)
    api.persons.set_settings(wid, {"responsible": "ida"}, "bob", force=True, conn=office.conn)
    office.reap("60 hours")
    assert hours(office, "eva") == [24] and hours(office, "ida") == [15, 6, 0]


def test_what_the_flow_may_have_an_instance_may_have(office: Kit) -> None:
    """The form of a start sends the options of the flow back."""
    office.policy(warnings=["0.01", "9999", "10 transfer"], notified="fewest_assigned", notified_count=1000)
    wid = office.start()
    chosen = api.persons.settings(wid, conn=office.conn)
    assert chosen is not None
    same = {"warnings": list(chosen.warnings), "notified_count": chosen.notified_count}
    assert api.persons.set_settings(wid, same, "eva", True, conn=office.conn).notified_count == 1000
    for wrong in (["0"], ["00.00 transfer"], ["24", "0 transfer"]):
        with refused("23514"):
            office.policy(warnings=wrong)
        wanted = dict(api.flows.definition(office.name, conn=office.conn)) | {"warnings": wrong}
        (problem,) = api.conditions.check_definition(office.name, wanted, conn=office.conn)
        assert "is not a value of warnings" in problem.message


@pytest.mark.parametrize(
    "wrong",
    [
        {"warnings": ["x"]},
        {"warnings": ["-1"]},
        {"warnings": ["0"]},
        {"warnings": ["24", "00.0 transfer"]},
        {"warnings": [str(n) for n in range(1, 22)]},
        {"warnings": ["2 transfer", "3 transfer"]},
        {"warnings": "24"},
        {"warnings": [None]},
        {"notified": "some"},
        {"notified_count": 0},
        {"notified_count": "many"},
        {"notified_count": 1001},
        {"responsible": "x" * 201},
        {"color": "red"},
    ],
    ids=repr,
)
def test_wrong_settings_are_refused_at_the_start_and_later(office: Kit, wrong: dict[str, Any]) -> None:
    wid = start(office)
    with refused("WD009"):
        api.persons.set_settings(wid, wrong, "eva", conn=office.conn)
    before = office.one("select count(*) from wedsql.instance where flow_id = %s", [office.id])
    with refused("WD009"):
        start(office, wrong)
    assert office.one("select count(*) from wedsql.instance where flow_id = %s", [office.id]) == before


def test_at_the_transfer_the_task_goes_to_the_responsible_person_whoever_has_it(office: Kit) -> None:
    """T-132, T-133, K-56."""
    wid = start(office, {"responsible": "eva", "warnings": ["24", "6 transfer"]})
    task = taken(office, wid)
    office.reap("43 hours")
    assert (task_of(office, wid).owner, task_of(office, wid).state) == ("eva", "S")
    assert [t.job_id for t in api.tasks.own("eva", conn=office.conn)] == [task]
    assert hours(office, "ana") == [24, 6] and sent_to(office, "ana", "d")[0].facts["to"] == "eva"
    with refused("WD598") as why:
        api.tasks.complete(task, "ana", outcome="Done", conn=office.conn)
    assert why.facts["owner"] == "eva" and "went from you" in why.message
    late = api.tasks.keep_late(task, "ana", {}, "Done", conn=office.conn)
    assert api.tasks.keep_late(task, "ana", {}, "Done", conn=office.conn) == late
    api.repairs.decide_late(conn=office.conn)
    kept = office.rows("select state, actor, changes from wedsql.late_result where id = %s", [late])[0]
    assert tuple(kept) == ("conflict", "ana", {"checked": "yes"})
    case = office.rows("select cause, owner from wedsql.repair_case where wid = %s", [wid])[0]
    assert tuple(case) == ("LATE_RESULT", "eva")
    api.tasks.complete(task, "eva", outcome="Done", conn=office.conn)
    with refused("WD598"):
        api.tasks.complete(task, "ana", outcome="Done", conn=office.conn)
    assert violations(office) == []


def test_an_open_task_is_transferred_too_and_one_without_a_responsible_person_stays(office: Kit) -> None:
    first = start(office, {"responsible": "eva", "warnings": ["6 transfer"]})
    second = start(office, {"warnings": ["6 transfer"]})
    taken(office, second)
    office.reap("43 hours")
    assert task_of(office, first).owner == "eva" and task_of(office, second).owner == "ana"
    with refused("WD593"):
        api.tasks.keep_late(task_of(office, second).job_id, "bob", {}, "Done", conn=office.conn)


def test_at_the_deadline_the_responsible_person_extends_it_and_it_is_sent_anew(office: Kit) -> None:
    """T-130."""
    wid = start(office)
    task = taken(office, wid)
    office.reap("49 hours")
    now: datetime = office.one("select wedsql.now()")
    with refused("WD591"):
        api.tasks.extend_deadline(task, "ana", now + timedelta(hours=8), conn=office.conn)
    with refused("WD009"):
        api.tasks.extend_deadline(task, "eva", now - timedelta(hours=8), conn=office.conn)
    api.tasks.extend_deadline(task, "eva", now + timedelta(hours=8), conn=office.conn)
    assert task_of(office, wid).due_at == now + timedelta(hours=8)
    office.reap("56 hours")
    assert hours(office, "eva") == [24, 12, 6, 0, 6]
    log = office.rows("select outcome, actor from wedsql.job_log where wid = %s order by id desc", [wid])
    assert tuple(log[0]) == ("extended", "eva")


def test_a_deadline_counts_working_time_where_the_flow_names_a_calendar(office: Kit) -> None:
    daily = {str(day): [["08:00", "16:00"]] for day in range(1, 8)}
    calendar = Calendar("Office", "UTC", daily)
    saved = api.sla.save_calendar(office.name, calendar, "eva", conn=office.conn)
    office.policy(task_calendar="Office")
    task = task_of(office, start(office))
    worked = api.sla.working_time(office.name, "Office", task.arrived_at, task.due_at, conn=office.conn)
    assert worked == timedelta(hours=48) and task.due_at - task.arrived_at > timedelta(days=5)
    with refused("WD512") as why:
        api.sla.delete_calendar(office.name, saved.id, conn=office.conn)
    assert "deadlines" in why.message


def test_a_failed_task_is_sent_with_its_exception_whose_case_is_of_the_responsible(office: Kit) -> None:
    """T-128, T-137."""
    wid = start(office)
    task = taken(office, wid)
    assert api.tasks.fail(task, "ana", "the file is empty", conn=office.conn) == "exception"
    (message,) = sent_to(office, "eva", "f")
    assert (message.job_id, message.facts["reason"], message.facts["actor"]) == (
        task,
        "the file is empty",
        "ana",
    )
    (case,) = office.rows("select owner, state from wedsql.repair_case where wid = %s", [wid])
    assert tuple(case) == ("eva", "claimed") and sent_to(office, "ana") == []
    assert violations(office) == []


def test_no_message_of_a_deadline_while_the_instance_is_suspended(office: Kit) -> None:
    wid = start(office)
    api.operations.suspend(wid, "strike", actor="bob", conn=office.conn)
    office.reap("37 hours")
    assert hours(office, "eva") == []
    api.operations.resume(wid, "over", actor="bob", conn=office.conn)
    office.reap()
    assert hours(office, "eva") == [24, 12]


def test_messages_are_kept_until_read_and_listed_by_key(office: Kit) -> None:
    """T-134, T-138."""
    for _ in range(5):
        start(office)
    first = sent_to(office, "eva")[:2]
    rest = api.persons.messages("eva", before=first[-1].id, limit=2, conn=office.conn)
    assert [m.id for m in rest] == sorted([m.id for m in rest], reverse=True)
    assert rest[0].id < first[1].id
    unread = api.persons.unread_messages("eva", conn=office.conn)
    assert api.persons.mark_messages_read("ana", [first[0].id], conn=office.conn) == 0
    assert api.persons.mark_messages_read("eva", [first[0].id], conn=office.conn) == 1
    assert api.persons.unread_messages("eva", conn=office.conn) == unread - 1
    assert first[0].id not in [m.id for m in api.persons.messages("eva", unread=True, conn=office.conn)]
    api.persons.mark_messages_read("eva", None, first[0].id, conn=office.conn)
    assert api.persons.unread_messages("eva", conn=office.conn) == 0


def test_messages_are_removed_after_90_days(office: Kit) -> None:
    start(office)
    office.clock("89 days")
    api.maintenance.maintain(conn=office.conn)
    assert len(sent_to(office, "eva")) == 1
    office.clock("91 days")
    api.maintenance.maintain(conn=office.conn)
    assert sent_to(office, "eva") == []


def test_a_round_reads_what_is_due_and_not_what_waits(office: Kit) -> None:
    for _ in range(3):
        start(office)
    office.rows("set enable_seqscan = off")
    source = office.one("select prosrc from pg_proc where proname = '_on_reap_part_tasks'")
    query = re.search(r"for v_due in(.*?)loop", source, re.S)
    assert query is not None
    plan = office.rows("explain " + query[1].replace("p_now", "now()"))
    assert any("Index Scan using task_watch_next" in line[0] for line in plan)


def test_a_flow_without_settings_and_deadlines_keeps_no_row(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_a", "a is null", performer="person", role="Clerk")
    kit.final("a is not null")
    wid = kit.start()
    for table in ("task_setting", "task_watch"):
        assert kit.rows(f"select from wedsql.{table} where wid = %s", [wid]) == []
