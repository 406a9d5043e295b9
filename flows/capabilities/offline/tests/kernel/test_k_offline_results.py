"""Results of devices: once, in their order, and never lost (T-180 to T-192, T-225)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from flows import api
from flows.capabilities.offline.tests.kernel.device import (
    TECHNICIAN,
    Phone,
    cases,
    late_ones,
    read_by_clerk,
    violations,
)
from flows.tests.kit import Kit, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]


def test_t184_a_result_is_in_the_history_with_both_times(cellar: Kit) -> None:
    phone, wid = Phone(cellar), cellar.start()
    found = phone.send(1, phone.made(phone.locked(wid), meter="17"))
    assert (found.state, found.task is not None, found.problem) == ("A", True, None)
    assert found.made_at == datetime(2026, 5, 1, 12, tzinfo=UTC) and found.arrived_at is not None
    step = cellar.trace(wid)[-1]
    assert (step.actor, step.seq) == ("ana", found.seq) and cellar.state(wid)["meter"] == "17"
    log = "select message from wedsql.job_log where wid = %s and outcome = 'offline'"
    assert cellar.one(log, [wid]) == "2026-05-01T12:00:00Z" and violations(cellar) == []


def test_t189_a_result_that_is_sent_ten_times_counts_once(cellar: Kit) -> None:
    phone, wid = Phone(cellar), cellar.start()
    result = phone.made(phone.locked(wid), meter="17")
    first = phone.send(1, result)
    for minute in range(9):
        again = phone.send(1, result | {"sent_at": f"2026-05-01T12:0{minute}:30Z"})
        assert (again.state, again.seq, again.arrived_at) == (first.state, first.seq, first.arrived_at)
    assert [one.trw for one in cellar.trace(wid)].count("tr_measure") == 1 and late_ones(cellar, wid) == []


@pytest.mark.parametrize("change", [{"values": {"meter": "18"}}, {"outcome": "x"}, {"claim": 1}])
def test_another_result_with_the_same_number_is_rejected(cellar: Kit, change: dict[str, Any]) -> None:
    phone, wid = Phone(cellar), cellar.start()
    result = phone.made(phone.locked(wid), meter="17")
    phone.send(1, result)
    with refused("WD613"):
        phone.send(1, result | change)
    assert phone.states() == "A"


def test_a_missing_result_holds_the_others_back_visibly(cellar: Kit) -> None:
    phone = Phone(cellar)
    made = [phone.made(phone.locked(cellar.start()), meter=str(n)) for n in range(4)]
    assert phone.send(3, made[2]).waits_for == 1 and phone.send(4, made[3]).state == "W"
    assert phone.send(1, made[0]).state == "A" and phone.states() == "AWW"
    (device,) = api.offline.devices("ana", conn=cellar.conn)[:1]
    assert (device.id, device.waiting, device.waits_for) == (phone.id, 2, 2)
    assert phone.send(2, made[1]).state == "A" and phone.states() == "AAAA"
    times = cellar.rows("select seq, wid from wedsql.wed_trace where trw = 'tr_measure' and flow_id = %s "
                        "order by tstmp, wid", [cellar.id])  # fmt: skip
    assert len(times) == 4 and violations(cellar) == []


def test_a_person_lets_the_others_go_on_and_what_comes_nevertheless_counts(cellar: Kit) -> None:
    phone = Phone(cellar)
    made = [phone.made(phone.locked(cellar.start()), meter=str(n)) for n in range(3)]
    phone.send(3, made[2])
    with refused("WD009"):
        api.offline.skip_results(phone.id, "eva", " ", conn=cellar.conn)
    assert api.offline.skip_results(phone.id, "eva", "The phone fell into water.", conn=cellar.conn) == 2
    assert api.offline.continue_offline(phone.id, conn=cellar.conn) == 3
    assert phone.states() == "SSA"
    assert api.offline.results(phone.id, conn=cellar.conn)[1].decided_by == "eva"
    assert phone.send(2, made[1]).state == "A" and phone.states() == "SAA"
    assert api.offline.skip_results(phone.id, "eva", "Again.", conn=cellar.conn) == 0


def test_a_discarded_result_holds_nothing_back(cellar: Kit) -> None:
    phone, wid = Phone(cellar), cellar.start()
    made = phone.made(phone.locked(wid), meter="17")
    assert phone.send(1, {"discarded": True}).state == "X"
    assert phone.send(2, made).state == "A" and phone.send(1, {"discarded": True}).state == "X"


def test_a_result_that_waits_is_discarded_and_one_that_was_applied_is_not(cellar: Kit) -> None:
    phone = Phone(cellar)
    made = [phone.made(phone.locked(cellar.start()), meter=str(n)) for n in range(2)]
    phone.send(2, made[1])
    assert phone.send(2, {"discarded": True}).state == "W"
    assert phone.send(1, made[0]).state == "A" and phone.states() == "AX"
    assert phone.send(1, {"discarded": True}).state == "A"
    with refused("WD613"):
        phone.send(2, made[1])


def test_what_the_site_reads_from_a_form_is_compared_by_what_was_sent(cellar: Kit) -> None:
    phone, wid = Phone(cellar), cellar.start()
    result = phone.made(phone.locked(wid), meter="17") | {"digest": "a"}
    assert phone.send(1, result).state == phone.send(1, result | {"values": {}}).state == "A"
    with refused("WD613"):
        phone.send(1, result | {"digest": "b"})


def test_a_task_that_could_not_be_done_is_an_exception(cellar: Kit) -> None:
    phone, wid = Phone(cellar), cellar.start()
    found = phone.send(1, phone.made(phone.locked(wid)) | {"reason": "The cellar is full of water."})
    assert found.state == "A" and cellar.status(wid) == "E"


def test_a_result_of_a_task_that_was_given_back_is_merged_where_nothing_changed(cellar: Kit) -> None:
    phone, wid = Phone(cellar), cellar.start()
    package = phone.locked(wid)
    api.tasks.release(package.job_id, "boss", force=True, conn=cellar.conn)
    found = phone.send(1, phone.made(package, meter="17"))
    assert (found.state, found.late) == ("L", "merged") and cellar.state(wid)["meter"] == "17"
    assert late_ones(cellar, wid) == [("merged", "WD593", "ana")] and violations(cellar) == []


def test_a_result_of_a_task_that_another_person_has_is_a_late_result_with_a_case(cellar: Kit) -> None:
    phone, wid = Phone(cellar), cellar.start()
    package = phone.locked(wid)
    api.tasks.release(package.job_id, "boss", force=True, conn=cellar.conn)
    api.tasks.take(package.job_id, "bob", TECHNICIAN, conn=cellar.conn)
    found = phone.send(1, phone.made(package, meter="17"))
    assert (found.state, found.late, found.problem["code"]) == ("L", "conflict", "WD592")  # type: ignore[index]
    assert cases(cellar, wid) == ["LATE_RESULT"] and cellar.state(wid)["meter"] is None


def test_a_result_of_a_task_that_another_person_completed_is_merged_or_a_conflict(cellar: Kit) -> None:
    phone = Phone(cellar)
    wids = [cellar.start(), cellar.start()]
    packages = [phone.locked(wid) for wid in wids]
    for package in packages:
        api.tasks.release(package.job_id, "boss", force=True, conn=cellar.conn)
        api.tasks.take(package.job_id, "bob", TECHNICIAN, conn=cellar.conn)
        api.tasks.complete(package.job_id, "bob", {"meter": "1"}, conn=cellar.conn)
    assert phone.send(1, phone.made(packages[0], note="wet")).late == "merged"
    assert phone.send(2, phone.made(packages[1], meter="2")).late == "conflict"
    assert cellar.state(wids[0])["note"] == "wet" and cellar.state(wids[1])["meter"] == "1"
    assert cases(cellar, wids[0]) == [] and cases(cellar, wids[1]) == ["LATE_RESULT"]


def test_what_another_step_changed_since_the_transfer_is_a_conflict_and_the_rest_is_not(cellar: Kit) -> None:
    phone = Phone(cellar)
    same, other = cellar.start(), cellar.start()
    first, second = phone.locked(same), phone.locked(other)
    for wid in (same, other):
        read_by_clerk(cellar, wid, read="yes", note="by the office")
    assert phone.send(1, phone.made(first, meter="17")).state == "A"
    found = phone.send(2, phone.made(second, meter="17", note="wet"))
    assert (found.state, found.late, found.problem["code"]) == ("L", "conflict", "WD614")  # type: ignore[index]
    values = {
        one["attribute"]: one for one in cellar.one("select wedsql.late_results(%s)", [other])[0]["values"]
    }
    assert values["note"] == {
        "attribute": "note", "before": None, "present": "by the office", "late": "wet", "changed": True,
    }  # fmt: skip
    assert cellar.state(other)["note"] == "by the office" and cases(cellar, other) == ["LATE_RESULT"]


def test_what_was_transferred_after_the_change_is_no_conflict(cellar: Kit) -> None:
    phone, wid = Phone(cellar), cellar.start()
    package = phone.locked(wid)
    read_by_clerk(cellar, wid, read="yes", note="by the office")
    assert phone.send(1, phone.made(phone.package(package.job_id), note="wet", meter="1")).state == "A"


def test_a_suspended_instance_takes_the_result_when_it_goes_on(cellar: Kit) -> None:
    phone, wid = Phone(cellar), cellar.start()
    package = phone.locked(wid)
    api.operations.suspend(wid, "Wait.", conn=cellar.conn)
    assert phone.send(1, phone.made(package, meter="17")).late == "kept"
    api.operations.resume(wid, "Go on.", conn=cellar.conn)
    cellar.clock("1 minute")
    api.repairs.decide_late(conn=cellar.conn)
    assert cellar.state(wid)["meter"] == "17" and late_ones(cellar, wid)[0][0] == "merged"


def test_t185_who_never_had_the_task_makes_no_late_result(cellar: Kit) -> None:
    phone, thief, wid = Phone(cellar), Phone(cellar, "mallory"), cellar.start()
    package = phone.locked(wid)
    found = thief.send(1, thief.made(package, meter="0"))
    assert (found.state, found.problem["code"]) == ("R", "WD592")  # type: ignore[index]
    assert late_ones(cellar, wid) == [] and cases(cellar, wid) == []
    with refused("WD592"):
        thief.package(package.job_id)
    assert thief.send(2, thief.made(package, meter="0") | {"task": 2**40}).problem["code"] == "WD590"  # type: ignore[index]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"values": {"nothing": "1"}}, "WD002"),
        ({"outcome": "x"}, "WD594"),
        ({"values": {"filed": "1"}}, "WD210"),
    ],
)
def test_what_the_kernel_does_not_take_is_refused_with_the_reason(
    cellar: Kit, change: dict[str, Any], code: str
) -> None:
    phone, wid = Phone(cellar), cellar.start()
    package = phone.locked(wid)
    found = phone.send(1, phone.made(package, meter="17") | change)
    assert (found.state, found.problem["code"]) == ("R", code)  # type: ignore[index]
    assert phone.send(2, phone.made(package, meter="17")).state == "A"


BAD: list[dict[str, Any]] = [
    {"task": None}, {"task": "x"}, {"claim": None}, {"seq": -1}, {"made_at": None}, {"made_at": "yesterday"},
    {"made_at": "2026-13-45T00:00:00Z"}, {"sent_at": "infinity"}, {"values": []}, {"made_at": "2026-05-01"},
    {"values": {"meter": "x" * 2_100_000}}, {"sent_at": "2026-05-01T12:00:00"},
]  # fmt: skip


@pytest.mark.parametrize("change", BAD)
def test_what_is_no_result_is_rejected_and_keeps_no_number(cellar: Kit, change: dict[str, Any]) -> None:
    phone, wid = Phone(cellar), cellar.start()
    result = phone.made(phone.locked(wid), meter="17")
    with refused("WD009"):
        phone.send(1, result | change)
    with refused("WD009"):
        phone.send(1002, result)
    assert phone.states() == "" and phone.send(1, result).state == "A"


def test_the_clock_of_the_device_counts_for_nothing_but_is_kept(cellar: Kit) -> None:
    phone, wid = Phone(cellar), cellar.start()
    now = datetime.now(UTC)
    wrong = (now + timedelta(days=1)).isoformat()
    found = phone.send(1, phone.made(phone.locked(wid), meter="1") | {"made_at": wrong, "sent_at": wrong})
    assert found.state == "A" and found.skew is not None and abs(found.skew + 86400) < 600
    assert cellar.trace(wid)[-1].tstmp < now + timedelta(hours=1)


def test_the_reaper_applies_what_a_process_left_behind(cellar: Kit) -> None:
    phone = Phone(cellar)
    made = [phone.made(phone.locked(cellar.start()), meter=str(n)) for n in range(2)]
    api.offline.keep_result(phone.person, phone.key, 2, made[1], conn=cellar.conn)
    api.offline.keep_result(phone.person, phone.key, 1, made[0], conn=cellar.conn)
    assert phone.states() == "AW"
    api.maintenance.reap(conn=cellar.conn)
    assert phone.states() == "AA"


def test_what_devices_have_goes_with_the_instance(cellar: Kit) -> None:
    phone, wid = Phone(cellar), cellar.start()
    result = phone.made(phone.locked(wid), meter="17")
    phone.send(1, result)
    cellar.rows("select wedsql._on_retired_offline(array[%s])", [wid])
    assert phone.states() == "" and phone.send(1, result).state == "G"
