"""Going offline: what is transferred before its lock, and one request for all (T-160, T-170, T-231)."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.capabilities.cases.files import FileLimits
from flows.capabilities.offline.api import SentFile
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


def measuring(kit: Kit, wid: int) -> int:
    """Return the task of the technician."""
    (task,) = [one for one in api.tasks.of_instance(wid, conn=kit.conn) if one.transition == "tr_measure"]
    return task.job_id


def go(phone: Phone, **plan: Any) -> dict[str, Any]:
    return api.offline.go_offline(phone.person, phone.key, TECHNICIAN, plan, conn=phone.kit.conn)


def listed(phone: Phone) -> list[tuple[int, bool]]:
    found = api.offline.device_tasks(phone.person, phone.key, TECHNICIAN, conn=phone.kit.conn)
    return [(one.task, one.locked) for one in found]


def prefetched(phone: Phone, task: int) -> Any:
    return api.offline.prefetch_package(phone.person, phone.key, task, TECHNICIAN, conn=phone.kit.conn)


def test_t162_locked_tasks_are_first_then_those_that_could_be_locked_in_the_order_of_the_list(
    cellar: Kit,
) -> None:
    phone, tasks = Phone(cellar), [measuring(cellar, cellar.start()) for _ in range(4)]
    api.tasks.take(tasks[3], "ana", TECHNICIAN, conn=cellar.conn)
    api.tasks.take(tasks[2], "ana", TECHNICIAN, lock=True, conn=cellar.conn)
    assert listed(phone) == [(tasks[2], True), (tasks[3], False), (tasks[0], False), (tasks[1], False)]
    api.tasks.take(tasks[0], "bob", TECHNICIAN, conn=cellar.conn)
    assert listed(phone) == [(tasks[2], True), (tasks[3], False), (tasks[1], False)]
    assert api.offline.device_tasks("ana", phone.key, conn=cellar.conn)[1:] == []


def test_t231_what_was_transferred_is_locked_by_one_request_and_transferred_no_more(cellar: Kit) -> None:
    phone, wid = Phone(cellar), cellar.start()
    package = prefetched(phone, measuring(cellar, wid))
    assert package.claim is None and package.version.endswith(".")
    (found,) = go(phone, lock=[package.job_id], minutes=90)["tasks"]
    assert found["has"] and found["seq"] == package.seq and found["claim"]
    assert found["version"] == dict(api.offline.tasks("ana", conn=cellar.conn))[package.job_id]
    made = phone.made(package, meter="17") | {"claim": found["claim"]}
    assert phone.send(1, made).state == "A" and violations(cellar) == []


def test_what_has_changed_since_it_was_transferred_is_transferred_again(cellar: Kit) -> None:
    phone, wid = Phone(cellar), cellar.start()
    package = prefetched(phone, measuring(cellar, wid))
    read_by_clerk(cellar, wid, read="yes")
    (found,) = go(phone, lock=[package.job_id])["tasks"]
    assert not found["has"] and found["seq"] is None
    assert phone.package(package.job_id).seq == 2


def test_a_task_that_was_transferred_and_never_locked_is_not_performed(cellar: Kit) -> None:
    phone, wid = Phone(cellar), cellar.start()
    package = prefetched(phone, measuring(cellar, wid))
    found = phone.send(1, phone.made(package, meter="17") | {"claim": 1})
    assert found.state == "R" and late_ones(cellar, wid) == [] and cases(cellar, wid) == []
    assert cellar.state(wid)["meter"] is None


def test_only_what_a_person_could_lock_is_transferred(cellar: Kit) -> None:
    phone, wid = Phone(cellar), cellar.start()
    task = measuring(cellar, wid)
    with refused("WD591"):
        api.offline.prefetch_package("ana", phone.key, task, ["r:Clerk"], conn=cellar.conn)
    (office,) = [one for one in api.tasks.of_instance(wid, conn=cellar.conn) if one.transition == "tr_read"]
    with refused("WD593"):
        api.offline.prefetch_package("ana", phone.key, office.job_id, ["r:Clerk"], conn=cellar.conn)
    api.tasks.take(task, "bob", TECHNICIAN, conn=cellar.conn)
    with refused("WD592"):
        prefetched(phone, task)
    api.tasks.complete(task, "bob", {"meter": "1"}, conn=cellar.conn)
    with refused("WD593"):
        prefetched(phone, task)


def test_t172_who_goes_offline_is_inactive_until_the_device_is_there_again(cellar: Kit) -> None:
    phone = Phone(cellar)

    def away() -> Any:
        return next(
            one.away_until for one in api.offline.devices("ana", conn=cellar.conn) if one.id == phone.id
        )

    def active() -> bool:
        return "ana" in [one.name for one in api.persons.active(conn=cellar.conn)]

    api.persons.seen("ana", TECHNICIAN, conn=cellar.conn)
    assert active() and away() is None
    assert go(phone, minutes=90)["away_until"] and away() is not None and not active()
    api.offline.device_seen("ana", phone.key, conn=cellar.conn)
    api.persons.seen("ana", TECHNICIAN, conn=cellar.conn)
    assert active() and away() is None


def test_t175_each_task_is_decided_on_its_own_and_who_has_a_problem_is_not_offline(cellar: Kit) -> None:
    phone, tasks = Phone(cellar), [measuring(cellar, cellar.start()) for _ in range(3)]
    api.tasks.take(tasks[0], "bob", TECHNICIAN, conn=cellar.conn)
    api.tasks.take(tasks[1], "ana", TECHNICIAN, lock=True, conn=cellar.conn)
    found = go(phone, lock=[tasks[0], tasks[2], 2**50], back=[tasks[1]], minutes=5)
    assert [(one.get("done"), one.get("problem", {}).get("code")) for one in found["tasks"]] == [
        ("back", None), (None, "WD592"), ("locked", None), (None, "WD590"),
    ]  # fmt: skip
    assert found["away_until"] is None and listed(phone)[0] == (tasks[2], True)


@pytest.mark.parametrize("report", [{"energy": 4}, {"free_bytes": 10**6}])
def test_t300_a_device_that_is_low_on_energy_or_space_locks_nothing(
    cellar: Kit, report: dict[str, int]
) -> None:
    phone, task = Phone(cellar), measuring(cellar, cellar.start())
    least = {"energy": 5, "free_bytes": 10**7}
    api.offline.device_seen("ana", phone.key, report, conn=cellar.conn)
    (found,) = go(phone, lock=[task], least=least)["tasks"]
    assert found["problem"]["code"] == "WD617" and listed(phone) == [(task, False)]
    api.offline.device_seen("ana", phone.key, {"energy": 5, "free_bytes": 10**7}, conn=cellar.conn)
    assert go(phone, lock=[task], least=least)["tasks"][0]["done"] == "locked"


PLANS = [{"minutes": "x"}, {"minutes": 43201}, {"lock": 7}, {"lock": ["x"]}, {"back": [None]},
         {"lock": list(range(501))}, {"minutes": -1}, {"lock": {"a": 1}}]  # fmt: skip


@pytest.mark.parametrize("plan", PLANS)
def test_what_is_no_plan_is_rejected(cellar: Kit, plan: dict[str, Any]) -> None:
    with refused("WD009"):
        go(Phone(cellar), **plan)


def test_a_withdrawn_device_goes_not_offline(cellar: Kit) -> None:
    phone = Phone(cellar)
    api.offline.set_device_state(phone.id, "W", "eva", conn=cellar.conn)
    with refused("WD611"):
        go(phone, minutes=1)


def test_another_device_of_the_person_that_has_the_task_is_named(cellar: Kit) -> None:
    """Where a browser has removed everything, its former device still has the task, and maybe a result."""
    phone, tablet = Phone(cellar), Phone(cellar, key="tablet-of-a-technician")

    def elsewhere() -> list[bool]:
        return [one.elsewhere for one in api.offline.device_tasks("ana", tablet.key, conn=cellar.conn)]

    package = phone.locked(cellar.start())
    assert elsewhere() == [True]
    api.offline.set_device_state(phone.id, "L", "eva", conn=cellar.conn)
    assert elsewhere() == [False]
    api.offline.set_device_state(phone.id, "A", "eva", conn=cellar.conn)
    api.tasks.release(package.job_id, "ana", conn=cellar.conn)
    api.tasks.take(package.job_id, "ana", TECHNICIAN, lock=True, conn=cellar.conn)
    assert elsewhere() == [False], "the phone has it as it was locked before"


@pytest.mark.parametrize("values", [{"meter": "17"}, {"meter": "x" * 40, "note": "wet"}])
def test_a_refused_result_is_given_to_the_desk(cellar: Kit, values: dict[str, str]) -> None:
    phone, wid = Phone(cellar), cellar.start()
    made = phone.made(phone.locked(wid), **values) | {"outcome": "no such outcome"}
    assert phone.send(1, made).state == "R"
    for _turn in range(2):
        found = api.offline.give_result("ana", phone.key, 1, conn=cellar.conn)
        assert (found.state, found.late) == ("L", "conflict")
    assert late_ones(cellar, wid) == [("conflict", "WD618", "ana")] and cases(cellar, wid) == ["LATE_RESULT"]
    late = api.repairs.late_results(wid, conn=cellar.conn)[0]
    assert {one.attribute: one.late for one in late.values} == values
    device = next(one for one in api.offline.devices("ana", conn=cellar.conn) if one.id == phone.id)
    assert device.conflicts == 1 and violations(cellar) == []


def test_only_refused_results_with_values_are_given_to_the_desk(cellar: Kit) -> None:
    phone = Phone(cellar)
    phone.send(1, phone.made(phone.locked(cellar.start()), meter="1"))
    stranger = phone.made(phone.locked(cellar.start()), meter="1") | {"task": 2**40}
    phone.send(2, stranger)
    phone.send(4, {"discarded": True})
    for number in (1, 2, 3, 4, 5):
        with refused("WD009"):
            api.offline.give_result("ana", phone.key, number, conn=cellar.conn)
    with refused("WD610"):
        api.offline.give_result("bob", phone.key, 1, conn=cellar.conn)


def test_a_device_sends_no_file_for_a_task_that_it_never_had_locked(cellar: Kit) -> None:
    phone, wid = Phone(cellar), cellar.start()
    task = measuring(cellar, wid)
    prefetched(phone, task)
    file = SentFile("a.png", b"\x89PNG\r\n\x1a\n")
    for locked in (False, True):
        if locked:
            go(phone, lock=[task])
        with refused("WD596" if locked else "WD593"):  # the form has no field for a file
            api.offline.attach_file(
                "ana", phone.key, task, "meter", file, FileLimits(10**6, 9, 10**7), conn=cellar.conn
            )
