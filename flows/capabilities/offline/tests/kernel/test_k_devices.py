"""Devices and what is transferred to them (T-160 to T-163, T-300, T-323)."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.capabilities.offline.tests.kernel.device import TECHNICIAN, Phone, read_by_clerk
from flows.tests.kit import Kit, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]


def test_a_device_reports_and_has_a_secret_of_its_own(cellar: Kit) -> None:
    phone, other = Phone(cellar), Phone(cellar, "bob")
    first = api.offline.device_seen("ana", phone.key, {"free_bytes": 2**33, "energy": 40}, conn=cellar.conn)
    again = api.offline.device_seen("ana", phone.key, {"unsent": 3, "name": "Phone"}, conn=cellar.conn)
    assert first == again and len(first.secret or "") == 44
    assert api.offline.device_seen("bob", other.key, conn=cellar.conn).secret != first.secret
    found = next(one for one in api.offline.devices("ana", conn=cellar.conn) if one.id == phone.id)
    assert (found.free_bytes, found.energy, found.unsent, found.name) == (2**33, 40, 3, "Phone")


@pytest.mark.parametrize(
    "report",
    [{"energy": 101}, {"unsent": -1}, {"free_bytes": "much"}, {"name": "x" * 201}, [1], {"unsent": 1.5}],
)
def test_a_report_that_is_none_is_rejected(cellar: Kit, report: Any) -> None:
    with refused("WD009"):
        api.offline.device_seen("ana", Phone(cellar).key, report, conn=cellar.conn)
    with refused("WD009"):
        api.offline.device_seen("ana", "short", conn=cellar.conn)


def test_only_locked_tasks_are_transferred(cellar: Kit) -> None:
    phone, wid = Phone(cellar), cellar.start()
    (task,) = [one for one in api.tasks.of_instance(wid, conn=cellar.conn) if one.transition == "tr_measure"]
    with refused("WD593"):
        phone.package(task.job_id)
    api.tasks.take(task.job_id, "ana", TECHNICIAN, conn=cellar.conn)
    with refused("WD593"):
        phone.package(task.job_id)
    package = phone.locked(wid)
    assert (package.job_id, package.version) in api.offline.tasks("ana", conn=cellar.conn)
    assert package.seq == 1 and package.claim and package.writes == ["meter", "note"]
    api.tasks.start(task.job_id, "ana", conn=cellar.conn)
    assert phone.package(task.job_id).version == package.version


def test_the_version_changes_with_what_a_device_needs_and_with_nothing_else(cellar: Kit) -> None:
    phone, wid, other = Phone(cellar), cellar.start(), cellar.start()
    package = phone.locked(wid)
    read_by_clerk(cellar, other, read="yes")
    assert phone.package(package.job_id).version == package.version
    read_by_clerk(cellar, wid, read="yes")
    changed = phone.package(package.job_id)
    assert changed.version != package.version
    api.tasks.release(package.job_id, "ana", conn=cellar.conn)
    assert phone.locked(wid).version != changed.version


def test_the_office_sees_what_a_device_has(cellar: Kit) -> None:
    phone, wid = Phone(cellar), cellar.start()

    def held() -> int:
        return next(one.tasks for one in api.offline.devices("ana", conn=cellar.conn) if one.id == phone.id)

    package = phone.locked(wid)
    assert held() == 0
    api.offline.confirm_packages("ana", phone.key, [package.job_id], conn=cellar.conn)
    assert held() == 1
    phone.send(1, phone.made(package, meter="1"))
    assert held() == 0


def test_a_withdrawn_device_gets_no_tasks_and_its_results_count(cellar: Kit) -> None:
    phone = Phone(cellar)
    package, more = phone.locked(cellar.start()), phone.locked(cellar.start())
    api.offline.set_device_state(phone.id, "W", "eva", conn=cellar.conn)
    with refused("WD611"):
        phone.package(more.job_id)
    assert phone.send(1, phone.made(package, meter="1")).state == "A"
    api.offline.set_device_state(phone.id, "L", "eva", conn=cellar.conn)
    assert api.offline.device_seen("ana", phone.key, conn=cellar.conn).secret is None
    with refused("WD611"):
        phone.send(2, phone.made(more, meter="1"))
    api.offline.set_device_state(phone.id, "A", "eva", conn=cellar.conn)
    assert phone.send(2, phone.made(more, meter="1")).state == "A"


def test_a_person_has_a_limited_number_of_devices(cellar: Kit) -> None:
    person = f"many {cellar.name}"
    for number in range(50):
        api.offline.device_seen(person, f"device-number-{number:04}", conn=cellar.conn)
    with refused("WD612"):
        api.offline.device_seen(person, "device-number-0050", conn=cellar.conn)
    api.offline.device_seen(person, "device-number-0049", conn=cellar.conn)
    assert len(api.offline.devices(person, limit=20, conn=cellar.conn)) == 20
    last = api.offline.devices(person, limit=20, conn=cellar.conn)[-1].id
    assert len(api.offline.devices(person, last, 50, conn=cellar.conn)) == 30


def test_unknown_devices_and_states_are_rejected(cellar: Kit) -> None:
    with refused("WD610"):
        api.offline.set_device_state(2**40, "L", "eva", conn=cellar.conn)
    with refused("WD009"):
        api.offline.set_device_state(Phone(cellar).id, "Q", "eva", conn=cellar.conn)
    with refused("WD610"):
        api.offline.skip_results(2**40, "eva", "Because.", conn=cellar.conn)
    with refused("WD610"):
        api.offline.read_package("ana", "no-such-device-of-ana", 1, conn=cellar.conn)
    assert api.offline.continue_offline(2**40, conn=cellar.conn) is None
    assert api.offline.results(Phone(cellar).id, "bob", conn=cellar.conn) == []


def test_only_the_site_may_call_it(cellar: Kit) -> None:
    """Workers, the reaper and monitors have no part in it, and no role reads the secrets."""
    functions = """
        select p.oid::regprocedure::text from pg_proc p
        where p.pronamespace = 'wedsql'::regnamespace and has_function_privilege(%s, p.oid, 'execute')
          and p.proname in ('device_seen', 'read_package', 'keep_offline_result', 'continue_offline',
                            'devices', 'offline_results', 'offline_tasks', 'confirm_packages',
                            'set_device_state', 'skip_offline_results', 'device_tasks', 'go_offline',
                            'prefetch_package', 'share_package')"""
    assert len(cellar.rows(functions, ["wed_web"])) == 14
    for role in ("wed_worker", "wed_monitor", "wed_reaper"):
        assert cellar.rows(functions, [role]) == []
        assert not cellar.one("select has_table_privilege(%s, 'wedsql.device', 'select')", [role])
    assert not cellar.one("select has_table_privilege('wed_web', 'wedsql.device', 'select')")
