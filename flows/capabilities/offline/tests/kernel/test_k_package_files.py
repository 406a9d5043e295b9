"""Packages that one device of a person has saved as a file, and another one has opened."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.capabilities.offline.tests.kernel.device import Phone, cases, late_ones, read_by_clerk, violations
from flows.capabilities.offline.tests.kernel.test_k_offline_chains import chain, followers, follows
from flows.tests.kit import Kit, refused

__all__ = ["chain"]
pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]
PHONE, LAPTOP = "phone-of-a-technician", "laptop-of-a-technician"


def secrets(kit: Kit, person: str, key: str) -> tuple[str | None, str | None]:
    found = api.offline.device_seen(person, key, conn=kit.conn)
    return found.secret, found.files


def test_the_devices_of_a_person_open_the_files_of_each_other_and_of_no_one_else(cellar: Kit) -> None:
    secret, files = secrets(cellar, "ana", PHONE)
    other, same = secrets(cellar, "ana", LAPTOP)
    strange, strangers = secrets(cellar, "ben", PHONE)
    assert files == same and len({secret, other, strange, files, strangers}) == 5
    api.offline.set_device_state(Phone(cellar).id, "L", "dora", conn=cellar.conn)
    assert secrets(cellar, "ana", PHONE) == (None, None)
    assert secrets(cellar, "ana", "a-third-device-of-ana")[1] == files


def test_r009_a_result_made_from_a_file_counts_once_on_whatever_way_it_comes(cellar: Kit) -> None:
    phone, laptop = Phone(cellar), Phone(cellar, key=LAPTOP)
    wid = cellar.start()
    package = phone.locked(wid)
    made = laptop.made(package, meter="7") | {"via": PHONE}
    assert laptop.send(1, made).state == "A"  # carried back as a file, and sent by the phone
    assert laptop.send(1, made).state == "A"  # sent again by the laptop itself
    assert [one.state for one in api.offline.results(laptop.id, conn=cellar.conn)] == ["A"]
    assert cellar.state(wid)["meter"] == "7" and violations(cellar) == []


def test_r009_what_another_step_has_changed_since_the_file_was_saved_is_decided_on(cellar: Kit) -> None:
    """The laptop was never given the task by the site: without the file this would overwrite the office."""
    phone, laptop = Phone(cellar), Phone(cellar, key=LAPTOP)
    wid = cellar.start()
    package = phone.locked(wid)
    read_by_clerk(cellar, wid, read="1", note="of the office")
    phone.package(package.job_id)  # the phone has newer values than its file
    made = laptop.made(package, meter="7", note="mine") | {"via": PHONE}
    assert laptop.send(1, made).state == "L"
    assert late_ones(cellar, wid) == [("conflict", "WD614", "ana")] and cases(cellar, wid) == ["LATE_RESULT"]
    assert cellar.state(wid)["note"] == "of the office"


def test_r009_a_result_of_a_task_that_was_given_back_is_a_late_result(cellar: Kit) -> None:
    phone, laptop = Phone(cellar), Phone(cellar, key=LAPTOP)
    wid = cellar.start()
    package = phone.locked(wid)
    api.tasks.release(package.job_id, "ana", conn=cellar.conn)
    assert laptop.send(1, laptop.made(package, meter="7") | {"via": PHONE}).state == "L"
    assert late_ones(cellar, wid) == [("merged", "WD593", "ana")]


@pytest.mark.parametrize("via", ["phone-of-a-stranger-1", "no-such-device-at-all"])
def test_r009_a_package_of_another_person_or_of_no_device_gives_no_right(cellar: Kit, via: str) -> None:
    stranger, laptop = Phone(cellar, "ben", "phone-of-a-stranger-1"), Phone(cellar, key=LAPTOP)
    wid = cellar.start()
    package = stranger.locked(wid)
    assert laptop.send(1, laptop.made(package, meter="7") | {"via": via}).state == "R"
    assert late_ones(cellar, wid) == [] and cellar.state(wid)["meter"] is None
    held = "select count(*) from wedsql.device_package where device_id = %s"
    assert cellar.one(held, [laptop.id]) == 0


def test_r009_a_package_that_was_not_locked_is_not_performed_from_a_file(cellar: Kit) -> None:
    phone, laptop = Phone(cellar), Phone(cellar, key=LAPTOP)
    wid = cellar.start()
    (task,) = [t for t in api.tasks.of_instance(wid, conn=cellar.conn) if t.transition == "tr_measure"]
    keys = ["r:Technician"]
    package = api.offline.prefetch_package("ana", PHONE, task.job_id, keys, conn=cellar.conn)
    made = laptop.made(package, meter="7") | {"via": PHONE, "claim": "1"}
    assert laptop.send(1, made).state == "R"
    api.offline.prefetch_package("ana", LAPTOP, task.job_id, keys, conn=cellar.conn)
    phone.locked(wid)
    api.offline.share_package("ana", LAPTOP, task.job_id, PHONE, conn=cellar.conn)
    claims = """select count(distinct claim) as locks, count(claim) as devices
                from wedsql.device_package where job_id = %s"""
    assert [tuple(one) for one in cellar.rows(claims, [task.job_id])] == [(1, 2)]


def test_r009_a_device_that_has_the_task_itself_keeps_its_own_package(cellar: Kit) -> None:
    phone, laptop = Phone(cellar), Phone(cellar, key=LAPTOP)
    wid = cellar.start()
    package = phone.locked(wid)
    read_by_clerk(cellar, wid, read="1", note="of the office")
    own = laptop.package(package.job_id)
    api.offline.share_package("ana", LAPTOP, package.job_id, PHONE, conn=cellar.conn)
    seq = "select seq from wedsql.device_package where device_id = %s"
    assert cellar.one(seq, [laptop.id]) == own.seq > package.seq


def test_r009_the_task_that_follows_is_performed_from_the_file_too(chain: Kit) -> None:
    phone, laptop = Phone(chain), Phone(chain, key=LAPTOP)
    wid = chain.start()
    package = phone.locked(wid)
    assert followers(phone, package)["tasks"]
    assert laptop.send(1, laptop.made(package, meter=101) | {"via": PHONE}).state == "A"
    assert laptop.send(2, follows(package, 1, repaired="yes") | {"via": PHONE}).state == "A"
    assert chain.state(wid)["repaired"] == "yes" and violations(chain) == []


@pytest.mark.parametrize("via", ["", "short", 7, None, {}, "ü" * 20, "x" * 65])
def test_what_is_no_key_of_a_device_is_rejected(cellar: Kit, via: Any) -> None:
    phone = Phone(cellar)
    package = phone.locked(cellar.start())
    with refused("WD009"):
        phone.send(1, phone.made(package, meter="7") | {"via": via})


def test_a_device_that_the_site_does_not_know_gets_no_package(cellar: Kit) -> None:
    phone = Phone(cellar)
    package = phone.locked(cellar.start())
    with refused("WD610"):
        api.offline.share_package("ana", "unknown-to-the-site", package.job_id, PHONE, conn=cellar.conn)
