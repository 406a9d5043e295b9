"""Odd situations of devices: two of one person, one that has lost all, and clocks that are wrong."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from flows import api
from flows.capabilities.offline.tests.kernel.device import NOON, Phone, cases, late_ones, violations
from flows.tests.kit import Kit

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]
TABLET = "tablet-of-a-technician"


def measured(kit: Kit, wid: int) -> int:
    """Return how often the meter of an instance was read."""
    return [one.trw for one in kit.trace(wid)].count("tr_measure")


def test_a_task_done_alike_on_two_devices_of_a_person_counts_once(cellar: Kit) -> None:
    phone, tablet, wid = Phone(cellar), Phone(cellar, key=TABLET), cellar.start()
    package = phone.locked(wid)
    copy = tablet.package(package.job_id)
    first = phone.send(1, phone.made(package, meter="17"))
    again = tablet.send(1, tablet.made(copy, meter="17"))
    assert (first.state, again.state) == ("A", "A") and first.seq == again.seq
    log = "select count(*) from wedsql.job_log where wid = %s and outcome = 'offline'"
    assert (measured(cellar, wid), cellar.one(log, [wid]), late_ones(cellar, wid)) == (1, 1, [])
    assert violations(cellar) == []


def test_a_task_done_otherwise_on_a_second_device_of_a_person_is_decided_on(cellar: Kit) -> None:
    phone, tablet, wid = Phone(cellar), Phone(cellar, key=TABLET), cellar.start()
    package = phone.locked(wid)
    copy = tablet.package(package.job_id)
    assert phone.send(1, phone.made(package, meter="17")).state == "A"
    found = tablet.send(1, tablet.made(copy, meter="18"))
    assert (found.state, found.late, cases(cellar, wid)) == ("L", "conflict", ["LATE_RESULT"])
    assert (measured(cellar, wid), cellar.state(wid)["meter"]) == (1, "17")
    assert violations(cellar) == []


def test_what_is_missing_of_one_device_does_not_hold_back_the_other(cellar: Kit) -> None:
    phone, tablet = Phone(cellar), Phone(cellar, key=TABLET)
    made = [phone.made(phone.locked(cellar.start()), meter=str(n)) for n in range(2)]
    assert phone.send(2, made[0]).state == "W"
    package = tablet.package(made[1]["task"])
    assert tablet.send(1, tablet.made(package, meter="1")).state == "A"
    assert (phone.states(), tablet.states()) == ("W", "A")


def test_who_does_a_lost_task_again_on_a_new_device_loses_to_none_that_turns_up(cellar: Kit) -> None:
    old, wid = Phone(cellar), cellar.start()
    package = old.locked(wid)
    lost = old.made(package, meter="17", note="wet")
    new = Phone(cellar, key="the-same-browser-after-it-was-cleared")
    assert new.send(1, new.made(new.package(package.job_id), meter="17")).state == "A"
    found = old.send(1, lost)
    assert found.state == "L" and measured(cellar, wid) == 1 and len(late_ones(cellar, wid)) == 1
    assert cellar.state(wid)["meter"] == "17" and old.send(1, lost).late_id == found.late_id


def test_a_device_that_starts_to_count_again_is_told_what_was_settled(cellar: Kit) -> None:
    phone = Phone(cellar)
    made = [phone.made(phone.locked(cellar.start()), meter=str(n)) for n in range(2)]
    phone.send(1, made[0])
    assert api.offline.device_seen(phone.person, phone.key, conn=cellar.conn).settled == 1
    assert phone.send(2, made[1]).state == "A"


@pytest.mark.parametrize("hours", [-24, 24, -3, 3], ids=["day-", "day+", "zone-", "zone+"])
def test_results_of_a_clock_that_is_wrong_by_a_day_or_a_zone_keep_their_order_and_both_times(
    cellar: Kit, hours: int
) -> None:
    phone, now = Phone(cellar), datetime.now(UTC)
    wids = [cellar.start() for _ in range(3)]
    packages = [phone.locked(wid) for wid in wids]
    clocks = [now, now + timedelta(hours=hours), now - timedelta(hours=hours)]
    for number, (package, clock) in enumerate(zip(packages, clocks, strict=True), 1):
        times = {"made_at": clock.isoformat(), "sent_at": clock.isoformat()}
        found = phone.send(number, phone.made(package, meter="1") | times)
        assert found.state == "A" and found.made_at == clock
        assert found.skew is not None and abs(found.skew - (now - clock).total_seconds()) < 600
    steps = [cellar.trace(wid)[-1].tstmp for wid in wids]
    assert steps == sorted(steps) and abs(steps[-1] - steps[0]) < timedelta(hours=1)
    log = "select message, at from wedsql.job_log where wid = any (%s) and outcome = 'offline' order by wid"
    logged = cellar.rows(log, [wids])
    assert [one.message for one in logged] == [f"{clock:%Y-%m-%dT%H:%M:%S}Z" for clock in clocks]
    assert violations(cellar) == []


def test_a_result_that_waited_is_applied_in_its_order_whatever_the_clock_says(cellar: Kit) -> None:
    phone = Phone(cellar)
    made = [phone.made(phone.locked(cellar.start()), meter=str(n)) for n in range(2)]
    earlier = {"made_at": "2026-04-30T12:00:00Z", "sent_at": NOON}
    assert phone.send(2, made[1] | earlier).state == "W"
    assert phone.send(1, made[0]).state == "A" and phone.states() == "AA"
    order = "select number from wedsql.device_result where device_id = %s order by decided_at, number"
    assert [one.number for one in cellar.rows(order, [phone.id])] == [1, 2]
