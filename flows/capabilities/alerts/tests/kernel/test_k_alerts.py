"""Alerts: started and ended once, whoever measures, reported at least once, and visible when that fails."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from flows import api
from flows.capabilities.alerts.api import AlertRule, SavedAlertRule, TakenAlertRule
from flows.capabilities.alerts.deliveries import Delivery
from flows.tests.kit import Connection, Kit, refused

pytestmark = pytest.mark.kernel

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
RULE = AlertRule("many", "count", ">", 10, "status:exception", mail=["ana@example.org"])


@pytest.fixture
def shop(kit: Kit) -> Kit:
    kit.rows("set timezone = 'UTC'")
    kit.attr("payment", "open")
    kit.trig("tr_pay", "payment = 'open'")
    kit.final("payment = 'paid'")
    return kit


@pytest.fixture
def reaper(shop: Kit) -> Connection:
    return shop.connect("wed_reaper")


def saved(kit: Kit, rule: AlertRule = RULE, replaced: int | None = None) -> SavedAlertRule:
    return api.alerts.save_rule(kit.name, rule, "olga", replaced, conn=kit.conn)


def settle(
    conn: Connection, rule: SavedAlertRule, minute: float, value: float | None, error: str | None = None
) -> bool:
    taken = TakenAlertRule(rule, NOON + timedelta(minutes=minute))
    return api.alerts.settle_rule(taken, value, error, conn=conn)


def events(kit: Kit, rule: SavedAlertRule) -> list[str]:
    return [each["event"] for each in api.alerts.history(rule.id, conn=kit.conn)][::-1]


def reported(kit: Kit, rule: SavedAlertRule) -> list[str]:
    """Return the events that were queued for receivers, in the order of their queue."""
    return [
        each.event
        for each in kit.rows(
            "select e.event from wedsql.delivery d join wedsql.alert_event e on e.id = d.event_id"
            " where e.rule_id = %s order by d.id",
            [rule.id],
        )
    ]


def test_an_alert_starts_once_and_ends_once(shop: Kit, reaper: Connection) -> None:
    rule = saved(shop)
    for minute, value in enumerate((5, 11, 12, 10, 10, 30, 3)):
        assert settle(reaper, rule, minute, value)
    assert events(shop, rule) == ["defined", "started", "ended", "started", "ended"]
    assert reported(shop, rule) == ["started", "ended", "started", "ended"]
    assert api.alerts.read_rule(rule.id, conn=shop.conn).active is None


def test_the_condition_must_last(shop: Kit, reaper: Connection) -> None:
    rule = saved(shop, AlertRule("few", "workers", "<", 1, trname="tr_pay", lasting=120))
    for minute, value in ((0, 0), (1, 0), (1.5, 1), (2, 0), (3, 0)):
        settle(reaper, rule, minute, value)
    assert events(shop, rule) == ["defined"]
    settle(reaper, rule, 4, 0)
    active = api.alerts.read_rule(rule.id, conn=shop.conn).active
    assert active is not None and active.started_at == NOON + timedelta(minutes=4)


def test_an_older_measurement_and_one_of_another_revision_are_not_used(shop: Kit, reaper: Connection) -> None:
    rule = saved(shop)
    assert settle(reaper, rule, 2, 5)
    assert not settle(reaper, rule, 1, 50) and not settle(reaper, rule, 2, 50)
    changed = saved(shop, AlertRule("many", "count", ">", 100), rule.id)
    assert not settle(reaper, rule, 3, 50)
    assert settle(reaper, changed, 3, 50)
    assert events(shop, rule) == ["defined", "changed"]


def test_two_reapers_start_an_alert_once(shop: Kit, reaper: Connection) -> None:
    rule = saved(shop)
    others = [shop.connect("wed_reaper") for _ in range(4)]
    start = threading.Barrier(len(others))

    def measure(place: int, conn: Connection) -> None:
        start.wait()
        for round_ in range(20):
            settle(conn, rule, round_ * 10 + place, 50 if round_ % 2 == 0 else 0)

    threads = [threading.Thread(target=measure, args=pair) for pair in enumerate(others)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    settle(reaper, rule, 1000, 0)
    happened = [each for each in events(shop, rule) if each in ("started", "ended")]
    assert happened and happened == ["started", "ended"] * (len(happened) // 2)
    assert reported(shop, rule) == happened


def test_a_reaper_that_ends_before_the_commit_leaves_nothing(shop: Kit, reaper: Connection) -> None:
    rule = saved(shop)
    killed = shop.connect("wed_reaper")
    killed.autocommit = False
    assert settle(killed, rule, 1, 50)
    killed.close()
    assert events(shop, rule) == ["defined"]
    assert settle(reaper, rule, 1, 50)
    assert reported(shop, rule) == ["started"]


def test_a_failure_is_said_and_neither_starts_nor_ends_an_alert(shop: Kit, reaper: Connection) -> None:
    rule = saved(shop)
    settle(reaper, rule, 1, 50)
    settle(reaper, rule, 2, None, "It took too long.")
    settle(reaper, rule, 3, None, "It took too long.")
    found = api.alerts.read_rule(rule.id, conn=shop.conn)
    assert found.active and found.error == "It took too long." and found.value == 50
    assert api.alerts.count([shop.name], conn=shop.conn).failing == 1
    settle(reaper, rule, 4, 50)
    assert events(shop, rule) == ["defined", "started", "failed", "recovered"]
    assert reported(shop, rule) == ["started", "failed", "recovered"]


def test_what_is_silenced_is_reported_when_that_ends_if_it_is_still_active(
    shop: Kit, reaper: Connection
) -> None:
    rule = saved(shop)
    until = datetime.now(UTC) + timedelta(hours=1)
    api.alerts.silence(rule.id, until, "olga", "Maintenance.", conn=shop.conn)
    settle(reaper, rule, 1, 50)
    settle(reaper, rule, 2, 0)
    settle(reaper, rule, 3, 50)
    assert reported(shop, rule) == []
    reaper.execute("select set_config('wedsql.test_offset', '2 hours', false)")
    settle(reaper, rule, 4, 50)
    assert reported(shop, rule) == ["started"]
    settle(reaper, rule, 5, 0)
    assert reported(shop, rule) == ["started", "ended"]
    with refused("WD508"):
        api.alerts.silence(rule.id, NOON - timedelta(days=900), "olga", conn=shop.conn)


def test_an_alert_is_acknowledged_with_name_and_note(shop: Kit, reaper: Connection) -> None:
    rule = saved(shop)
    with refused("WD508"):
        api.alerts.acknowledge(rule.id, "olga", conn=shop.conn)
    settle(reaper, rule, 1, 50)
    active = api.alerts.acknowledge(rule.id, "olga", "I look.", conn=shop.conn).active
    assert active is not None and (active.acknowledged_by, active.note) == ("olga", "I look.")
    counts = api.alerts.count([shop.name], conn=shop.conn)
    assert (counts.active, counts.unacknowledged) == (1, 0)


def test_a_rule_that_is_switched_off_ends_its_alert(shop: Kit, reaper: Connection) -> None:
    rule = saved(shop)
    settle(reaper, rule, 1, 50)
    off = AlertRule("many", "count", ">", 10, enabled=False, mail=["ana@example.org"])
    changed = saved(shop, off, rule.id)
    assert changed.active is None and reported(shop, rule) == ["started", "ended"]
    assert not settle(reaper, changed, 2, 50)


def test_ages_and_workers_are_measured(shop: Kit, reaper: Connection) -> None:
    rules = {
        kind: saved(shop, AlertRule(kind, kind, ">", 1, trname=transition))
        for kind, transition in (("exception_age", ""), ("queue_age", "tr_pay"), ("workers", "tr_pay"))
    }

    def measured(kind: str) -> float | None:
        return api.alerts.measure_rule(rules[kind].id, conn=reaper)

    assert (measured("exception_age"), measured("queue_age"), measured("workers")) == (None, None, 0)
    shop.start()
    shop.run("tr_pay", shop.start(), payment="odd")
    worker = api.workers.register("process", "w", "here", 1, [f"{shop.name}:tr_pay"], conn=shop.conn)
    assert measured("workers") == 1
    reaper.execute("select set_config('wedsql.test_offset', '1 hour', false)")
    for kind in ("exception_age", "queue_age"):
        assert 3600 <= (measured(kind) or 0) < 3700
    assert measured("workers") == 0
    api.workers.unregister(worker, conn=shop.conn)


def mine(kit: Kit, reaper: Connection, take: Callable[[], Any]) -> list[Any]:
    """Return what is taken until nothing is due."""
    return list(iter(take, None))


def test_a_rule_is_taken_by_one_reaper_and_is_due_again_if_that_ends(shop: Kit, reaper: Connection) -> None:
    rule = saved(shop)
    taken = mine(shop, reaper, lambda: api.alerts.take_rule(60, conn=reaper))
    assert [each.rule.id for each in taken] == [rule.id]
    assert api.alerts.take_rule(60, conn=shop.connect("wed_reaper")) is None
    reaper.execute("select set_config('wedsql.test_offset', '61 seconds', false)")
    again = api.alerts.take_rule(60, conn=reaper)
    assert again is not None and again.taken_at > taken[0].taken_at


def deliveries(reaper: Connection, hold: float = 60) -> list[Delivery]:
    return list(iter(lambda: api.alerts.take_delivery(hold, conn=reaper), None))


def test_a_delivery_is_repeated_with_the_same_key_and_seen_to_fail(shop: Kit, reaper: Connection) -> None:
    rule = saved(shop)
    settle(reaper, rule, 1, 50)
    (first,) = deliveries(reaper)
    assert first.message["event"] == "started" and first.message["value"] == 50
    # Its sender ends. It is due again after the time that it was held.
    reaper.execute("select set_config('wedsql.test_offset', '61 seconds', false)")
    (second,) = deliveries(reaper)
    assert second.message["id"] == first.message["id"] and second.attempt == 2
    hours = 1
    while True:
        api.alerts.settle_delivery(second, "refused", conn=reaper)
        hours += 2
        reaper.execute("select set_config('wedsql.test_offset', %s, false)", [f"{hours} hours"])
        if not (again := deliveries(reaper)):
            break
        (second,) = again
    assert second.attempt == 12
    (delivery,) = api.alerts.history(rule.id, conn=shop.conn)[0]["deliveries"]
    assert (delivery["status"], delivery["error"], delivery["attempts"]) == ("failed", "refused", 12)


def test_each_attempt_waits_twice_as_long_up_to_an_hour(shop: Kit, reaper: Connection) -> None:
    rule = saved(shop)
    settle(reaper, rule, 1, 50)
    (delivery,) = deliveries(reaper)
    for attempt in range(1, 12):
        shop.rows("update wedsql.delivery set attempts = %s", [attempt])
        before = shop.one("select wedsql.now()")
        api.alerts.settle_delivery(replace(delivery, attempt=attempt), "refused", conn=reaper)
        found = shop.one("select next_at from wedsql.delivery")
        wait = timedelta(seconds=min(3600, 5 * 2**attempt))
        assert before + wait <= found <= shop.one("select wedsql.now()") + wait


def test_a_late_failure_of_an_earlier_attempt_is_not_used(shop: Kit, reaper: Connection) -> None:
    rule = saved(shop)
    settle(reaper, rule, 1, 50)
    (first,) = deliveries(reaper)
    reaper.execute("select set_config('wedsql.test_offset', '61 seconds', false)")
    (second,) = deliveries(reaper)
    api.alerts.settle_delivery(second, conn=reaper)
    api.alerts.settle_delivery(first, "too late", conn=reaper)
    (delivery,) = api.alerts.history(rule.id, conn=shop.conn)[0]["deliveries"]
    assert (delivery["status"], delivery["error"]) == ("sent", None)


def test_a_test_reaches_every_receiver(shop: Kit, reaper: Connection) -> None:
    hook = AlertRule("x", "count", ">", 1, mail=["a@b.c"], url="https://example.org/", secret="s")
    rule = saved(shop, hook)
    assert api.alerts.send_test(rule.id, "olga", conn=shop.conn) == 2
    found = deliveries(reaper)
    assert [(each.channel, each.target) for each in found] == [
        ("mail", "a@b.c"), ("webhook", "https://example.org/"),
    ]  # fmt: skip
    assert all(each.secret == "s" for each in found)
    assert "secret" not in shop.one("select wedsql.read_alert_rule(%s)", [rule.id])
    with refused("WD508"):
        api.alerts.send_test(saved(shop, AlertRule("y", "count", ">", 1)).id, "olga", conn=shop.conn)


@pytest.mark.parametrize(
    "rule",
    [
        AlertRule(" ", "count", ">", 1),
        AlertRule("x" * 81, "count", ">", 1),
        AlertRule("x", "other", ">", 1),
        AlertRule("x", "count", "=", 1),
        AlertRule("x", "count", ">", -1),
        AlertRule("x", "count", ">", 1, lasting=-1),
        AlertRule("x", "count", ">", 1, lasting=1e9),
        AlertRule("x", "queue_age", ">", 1, trname="tr_none"),
        AlertRule("x", "queue_age", ">", 1),
        AlertRule("x", "count", ">", 1, mail=["a@b\nBcc: c@d"]),
        AlertRule("x", "count", ">", 1, mail=["a@b.c"] * 21),
        AlertRule("x", "count", ">", 1, url="https://example.org/"),
    ],
)
def test_a_rule_that_cannot_work_is_rejected(shop: Kit, rule: AlertRule) -> None:
    with refused("WD508"):
        saved(shop, rule)


def test_a_flow_has_at_most_a_hundred_rules(shop: Kit) -> None:
    for number in range(100):
        saved(shop, AlertRule(f"r{number}", "count", ">", 1))
    with refused("WD508"):
        saved(shop)


def test_names_are_unique_and_a_rule_stays_with_its_flow(shop: Kit) -> None:
    rule = saved(shop)
    with refused("WD508"):
        saved(shop)
    with refused("WD509"):
        saved(shop, RULE, rule.id + 1_000_000)
    api.alerts.delete_rule(rule.id, conn=shop.conn)
    with refused("WD509"):
        api.alerts.read_rule(rule.id, conn=shop.conn)


def test_what_ended_a_year_ago_is_removed(shop: Kit, reaper: Connection) -> None:
    rule = saved(shop)
    for minute, value in enumerate((50, 0, 50)):
        settle(reaper, rule, minute, value)
    assert api.alerts.remove_old(conn=reaper) == 0 or events(shop, rule)
    reaper.execute("select set_config('wedsql.test_offset', '500 days', false)")
    api.alerts.remove_old(conn=reaper)
    assert events(shop, rule) == ["started"]
    assert api.alerts.read_rule(rule.id, conn=shop.conn).active


def test_a_rule_that_can_never_hold_is_rejected(shop: Kit) -> None:
    for kind, name in (("count", ""), ("exception_age", ""), ("queue_age", "tr_pay"), ("workers", "tr_pay")):
        with refused("WD508") as why:
            saved(shop, replace(RULE, kind=kind, sign="<", threshold=0, trname=name))
        assert "Nothing is below 0" in why.message
    assert saved(shop, replace(RULE, sign=">", threshold=0)).threshold == 0
