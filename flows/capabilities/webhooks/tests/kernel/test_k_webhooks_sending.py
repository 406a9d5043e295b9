"""Messages of webhooks: what is in them, and receivers that fail."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from flows import api
from flows.capabilities.webhooks.tests.kernel.hooks import (
    HOOK,
    check,
    deliveries,
    fail,
    listed,
    now,
    queued,
    read,
    saved,
)
from flows.capabilities.webhooks.tests.kernel.hooks import reaper as reaper  # fixtures
from flows.tests.kit import Connection, Kit, refused

pytestmark = pytest.mark.kernel


def test_a_message_has_the_attributes_that_were_chosen_and_no_others(kit: Kit, reaper: Connection) -> None:
    kit.rows("set timezone = 'UTC'")
    for name in ("number", "city", "notes", "secret"):
        kit.attr(name)
    kit.rows("update {f}.wed_attr set business_key = true where aname = 'number'")
    kit.trig("tr_go", "city = 'Rio'")
    hook = saved(kit, replace(HOOK, events=["started"], attributes=["city", "notes"]))
    wid = kit.start(number="N-1", city="Rio", notes="x" * 9000, secret="hidden")
    read(reaper, hook)
    (delivery,) = deliveries(reaper)
    assert (delivery.channel, delivery.target, delivery.secret) == ("webhook", HOOK.url, "quiet")
    message = delivery.message
    at = kit.one("select to_jsonb(tstmp) #>> '{}' from wedsql.wed_trace where wid = %s", [wid])
    assert message.pop("id") == str(kit.one("select key from wedsql.delivery where hook_id = %s", [hook.id]))
    assert message == {
        "event": "started", "at": at, "webhook": hook.id, "flow": kit.name, "wid": wid, "key": None,
        "business_key": "N-1", "step": 1, "status": "running", "attributes": {"city": "Rio"},
        "omitted": ["notes"],
    }  # fmt: skip
    plain = saved(kit, replace(HOOK, events=["started"]))
    kit.start(city="Rio", secret="hidden")
    read(reaper, plain)
    (delivery,) = deliveries(reaper)
    assert "hidden" not in str(delivery.message) and "attributes" not in delivery.message
    assert "secret" not in kit.one("select wedsql.read_webhook(%s)", [hook.id])


def test_a_receiver_that_fails_gets_one_message_at_a_time_and_is_paused_after_a_day(
    fig2: Kit, reaper: Connection
) -> None:
    hook = saved(fig2, replace(HOOK, events=["started"]))
    wids = [fig2.start() for _ in range(5)]
    read(reaper, hook)
    assert now(fig2, hook).last_error is None
    fail(reaper, deliveries(reaper))
    assert now(fig2, hook).last_error == "It answered 500."
    minutes, tries = 0, 0
    while now(fig2, hook).paused_at is None:
        minutes += 10
        fig2.clock(f"{minutes} minutes", reaper)
        found = deliveries(reaper)
        assert len(found) <= 1
        tries += len(found)
        fail(reaper, found)
    assert 20 <= tries <= 40 and 1440 <= minutes < 1510
    assert now(fig2, hook).problem == "It answered 500." and now(fig2, hook).waiting == 5
    assert read(reaper, hook) == 0 and deliveries(reaper) == []
    wids.append(fig2.start())
    api.webhooks.resume(hook.id, "olga", conn=fig2.conn)
    read(reaper, hook)
    found = deliveries(reaper)
    assert sorted(each.message["wid"] for each in found) == wids
    for each in found:
        api.alerts.settle_delivery(each, conn=reaper)
    assert (now(fig2, hook).waiting, now(fig2, hook).problem, now(fig2, hook).last_error) == (0, None, None)
    with refused("WD510"):
        api.webhooks.resume(hook.id, "olga", conn=fig2.conn)


def test_a_paused_one_may_skip_what_happened_meanwhile(fig2: Kit, reaper: Connection) -> None:
    hook = saved(fig2, replace(HOOK, events=["started"]))
    fig2.start()
    read(reaper, hook)
    (delivery,) = deliveries(reaper)
    api.alerts.settle_delivery(delivery, "The host is inside the network.", final=True, conn=reaper)
    assert now(fig2, hook).paused_at is not None
    fig2.start()
    api.webhooks.resume(hook.id, "olga", skip=True, conn=fig2.conn)
    wid = fig2.start()
    read(reaper, hook)
    assert queued(fig2, hook) == [("started", wid)]


def test_a_message_that_alone_is_rejected_has_failed_after_12_attempts(fig2: Kit, reaper: Connection) -> None:
    hook = saved(fig2, replace(HOOK, events=["started"]))
    bad = fig2.start()
    minutes = 0
    for _ in range(12):
        fig2.start()
        read(reaper, hook)
        for each in deliveries(reaper):
            api.alerts.settle_delivery(each, "No." if each.message["wid"] == bad else None, conn=reaper)
        minutes += 61
        fig2.clock(f"{minutes} minutes", reaper)
    states = Counter((each.status, each.wid == bad) for each in listed(fig2, hook))
    assert states[("failed", True)] == 1 and now(fig2, hook).paused_at is None
    assert states[("sent", False)] >= 11


def test_while_many_messages_wait_no_more_are_read_and_none_is_lost(fig2: Kit, reaper: Connection) -> None:
    hook = saved(fig2, replace(HOOK, events=["started"]))
    for _ in range(3):
        api.instances.start_many(fig2.name, [{}] * 400, conn=fig2.conn)
        read(reaper, hook, 300)
    assert 1000 <= len(queued(fig2, hook)) == 1200
    fig2.start()
    assert read(reaper, hook) == 0
    fig2.rows("update wedsql.delivery set status = 'sent', done_at = now() where hook_id = %s", [hook.id])
    read(reaper, hook)
    check(fig2, hook)


def test_a_test_is_sent_once_even_while_paused(fig2: Kit, reaper: Connection) -> None:
    hook = saved(fig2)
    fig2.rows("update wedsql.webhook set paused_at = now() where id = %s", [hook.id])
    for error in ("It answered 500.", None):
        api.webhooks.send_test_message(hook.id, conn=fig2.conn)
        (delivery,) = deliveries(reaper)
        assert delivery.message["event"] == "tested" and delivery.message["flow"] == fig2.name
        api.alerts.settle_delivery(delivery, error, conn=reaper)
        assert deliveries(reaper) == []
    assert [each.status for each in listed(fig2, hook)] == ["sent", "failed"]
    assert now(fig2, hook).failing_since_at is None


READ = """
select coalesce(sum(seq_tup_read + idx_tup_fetch), 0) from pg_stat_xact_all_tables where relname = 'delivery'
"""


@pytest.mark.parametrize("held", ["paused_at = now()", "retry_at = now() + '1 hour'", "enabled = false"])
def test_what_waits_of_a_webhook_that_sends_nothing_is_not_read(
    fig2: Kit, reaper: Connection, held: str
) -> None:
    """A message of another one, and a test of this one, cost the same however much waits."""
    hook, other = saved(fig2), saved(fig2, replace(HOOK, url="https://example.org/other"))
    made = (
        "insert into wedsql.delivery (hook_id, channel, target, key, next_at, message)"
        " select %s, 'webhook', 'x', gen_random_uuid(), now() - '1 hour'::interval, '{\"event\": \"final\"}'"
        " from generate_series(1, %s)"
    )
    fig2.rows(made, [hook.id, 1000])
    fig2.rows(f"update wedsql.webhook set {held} where id = %s", [hook.id])
    fig2.rows(made, [other.id, 1])
    fig2.rows("select wedsql.test_webhook(%s)", [hook.id])
    fig2.rows("analyze wedsql.delivery")
    with fig2.conn.transaction():
        before = fig2.one(READ)
        sent = [fig2.one("select wedsql.take_delivery('1 hour')") for _ in range(3)]
        assert fig2.one(READ) - before < 30
    assert [message and message["message"]["event"] for message in sent] == ["final", "tested", None]
