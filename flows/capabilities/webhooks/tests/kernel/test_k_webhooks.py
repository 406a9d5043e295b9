"""Webhooks: each event that is committed is queued once, whatever the order of commits and whoever reads."""

from __future__ import annotations

import random
import threading
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from psycopg import Rollback

from flows import api
from flows.capabilities.webhooks.api import SavedWebhook
from flows.capabilities.webhooks.tests.kernel.hooks import (
    HOOK,
    PLAIN,
    check,
    deliveries,
    listed,
    now,
    queued,
    read,
    saved,
)
from flows.capabilities.webhooks.tests.kernel.hooks import reaper as reaper  # fixtures
from flows.errors import DatabaseGone
from flows.tests.kit import Connection, Kit, refused

pytestmark = pytest.mark.kernel


def whole(kit: Kit, wid: int) -> None:
    kit.run("tr_a2", wid, a2="done")
    kit.run("tr_a3", wid, a3="done")
    kit.run("tr_final", wid, a1="final")


def act(kit: Kit, kind: int) -> None:
    """Run an instance in one of five ways; one of them is an exception in two steps, another starts final."""
    wid = kit.start(a="end" if kind == 4 else "1")
    if kind == 1:
        kit.run("tr_x", wid, a="end")
    elif kind == 2:
        kit.run("tr_x", wid, a="lost")
        kit.run("_EXCPT", wid, a="still lost")
    elif kind == 3:
        api.instances.cancel(wid, "x", conn=kit.conn)


def test_the_events_of_a_random_run_are_those_of_the_history(kit: Kit, reaper: Connection) -> None:
    kit.attr("a")
    kit.trig("tr_x", "a = '1'")
    kit.final("a = 'end'")
    before = kit.start(a="1")
    hook = saved(kit)
    random_ = random.Random(4)  # noqa: S311 - nothing secret
    for number in range(30):
        with suppress(Rollback), kit.conn.transaction():
            act(kit, number % 5)
            if random_.random() < 0.3:
                raise Rollback
        if random_.random() < 0.3:
            read(reaper, hook)
    kit.run("tr_x", before, a="end")
    read(reaper, hook)
    found = Counter(queued(kit, hook))
    found["started", before] += 1
    assert found == Counter(tuple(each) for each in kit.rows(PLAIN, [kit.id]))
    assert {event for event, _ in found} == {"started", "final", "exception", "cancelled"}
    assert read(reaper, hook) == 0


def test_what_commits_late_and_what_is_rolled_back(fig2: Kit, reaper: Connection) -> None:
    hook = saved(fig2)
    late, never = fig2.connect(), fig2.connect()
    for connection in (late, never):
        connection.execute("begin")
        connection.execute("select wedsql.start(%s, '{}')", [fig2.name])
    for n in range(3):
        late.execute(f"savepoint s{n}")
        late.execute("select wedsql.start(%s, '{}')", [fig2.name])
        if n % 2:
            late.execute(f"rollback to s{n}")
        whole(fig2, fig2.start())
        read(reaper, hook)
    assert len(check(fig2, hook)) == 6
    never.execute("rollback")
    late.execute("commit")
    read(reaper, hook)
    assert sum(event == "started" for event, _ in check(fig2, hook)) == 6


def test_several_reapers_and_writers_one_of_them_killed(fig2: Kit, reaper: Connection) -> None:
    hook = saved(fig2, replace(HOOK, events=["started"]))
    writers = [threading.Thread(target=work, args=(fig2.connect(), fig2.name)) for _ in range(3)]
    over = threading.Event()
    readers = [threading.Thread(target=keep_reading, args=(fig2, hook, over)) for _ in range(2)]
    killer = threading.Thread(target=kill_readers, args=(fig2.connect(), over))
    for thread in (*writers, *readers, killer):
        thread.start()
    for writer in writers:
        writer.join()
    over.set()
    for thread in (*readers, killer):
        thread.join()
    read(reaper, hook)
    assert len(check(fig2, hook)) == 3 * 15 * 3


def work(connection: Connection, flow: str) -> None:
    """Start instances in transactions of different length, so that they commit in another order."""
    for n in range(15):
        with connection.transaction():
            for _ in range(3):
                connection.execute("select wedsql.start(%s, '{}')", [flow])
                connection.execute("select pg_sleep(%s)", [0.002 * (n % 3)])


def keep_reading(kit: Kit, hook: SavedWebhook, over: threading.Event) -> None:
    while not over.is_set():
        with suppress(psycopg.OperationalError, DatabaseGone):
            connection = kit.connect("wed_reaper", application_name="reads")
            while not over.is_set():
                read(connection, hook, 7)


def kill_readers(connection: Connection, over: threading.Event) -> None:
    while not over.wait(0.05):
        connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where application_name = 'reads' order by random() limit 1"
        )


def test_of_two_that_read_the_same_one_queues_it(fig2: Kit, reaper: Connection) -> None:
    hook = saved(fig2)
    fig2.start()
    found = api.webhooks.steps(hook.id, conn=reaper)
    assert found is not None and len(found.steps) == 1
    killed = fig2.connect("wed_reaper")
    killed.autocommit = False
    assert api.webhooks.queue_steps(found, conn=killed) == 1
    killed.close()
    assert api.webhooks.queue_steps(found, conn=reaper) == 1
    assert api.webhooks.queue_steps(found, conn=reaper) is None
    check(fig2, hook)
    fig2.start()
    other = api.webhooks.steps(hook.id, conn=reaper)
    assert other is not None
    saved(fig2, replace(HOOK, events=["final"]), hook.id)
    assert api.webhooks.queue_steps(other, conn=reaper) is None


def test_a_new_one_and_one_that_is_switched_on_begin_now(fig2: Kit, reaper: Connection) -> None:
    fig2.start()
    hook = saved(fig2)
    fig2.start()
    read(reaper, hook)
    saved(fig2, replace(HOOK, enabled=False), hook.id)
    assert now(fig2, hook).waiting == 0
    fig2.start()
    assert read(reaper, hook) == 0
    saved(fig2, HOOK, hook.id)
    wid = fig2.start()
    read(reaper, hook)
    assert queued(fig2, hook) == [("started", wid)]


def test_a_copy_of_a_database_notifies_no_receiver(fig2: Kit, reaper: Connection) -> None:
    hook = saved(fig2)
    fig2.start()
    restored(fig2, "now()")
    assert hook.id not in api.webhooks.due(conn=reaper)
    assert api.webhooks.steps(hook.id, conn=reaper) is None
    assert "restored" in (now(fig2, hook).problem or "")
    api.webhooks.resume(hook.id, "olga", conn=fig2.conn)
    wid = fig2.start()
    read(reaper, hook)
    assert queued(fig2, hook) == [("started", wid)]
    restored(fig2, "'-infinity'")


def restored(kit: Kit, at: str) -> None:
    """Write what the figures write when they notice that their database was restored from a dump."""
    with kit.conn.transaction():
        kit.rows(f"update wedsql.figure_state set restored_at = {at}")
        kit.rows("update wedsql.figure_state set own_xid = xmin::text::bigint")


def test_no_instance_is_removed_before_it_was_read_and_messages_go_after_a_week(
    fig2: Kit, reaper: Connection
) -> None:
    hook = saved(fig2)
    wid = fig2.start()
    whole(fig2, wid)
    fig2.policy(retention="1 day")
    fig2.clock("2 days")
    assert fig2.one("select wedsql.retire(%s, %s)", (fig2.name, [wid])) == 0
    read(reaper, hook)
    assert fig2.one("select wedsql.retire(%s, %s)", (fig2.name, [wid])) == 1
    for each in deliveries(reaper):
        api.alerts.settle_delivery(each, conn=reaper)
    api.webhooks.remove_old_messages(conn=reaper)
    assert sorted(each.event for each in listed(fig2, hook)) == ["final", "started"]
    fig2.clock("8 days", reaper)
    assert api.webhooks.remove_old_messages(conn=reaper) == 2
    assert listed(fig2, hook) == []


def test_a_filter_that_fails_is_tried_again_and_loses_nothing(fig2: Kit, reaper: Connection) -> None:
    hook = saved(fig2)
    fig2.start()
    found = api.webhooks.steps(hook.id, conn=reaper)
    assert found is not None
    api.webhooks.delay(found, "It took too long.", conn=reaper)
    assert now(fig2, hook).problem == "It took too long." and hook.id not in api.webhooks.due(conn=reaper)
    fig2.clock("2 minutes", reaper)
    read(reaper, hook)
    check(fig2, hook)
    assert now(fig2, hook).problem is None


@pytest.mark.parametrize(
    "change",
    [
        {"events": []}, {"events": ["ended"]}, {"url": HOOK.url + "x" * 2000}, {"secret": ""},
        {"attributes": ["nothing"]}, {"attributes": ["a1"] * 21}, {"query": "x" * 4001},
    ],
)  # fmt: skip
def test_a_webhook_that_cannot_work_is_rejected(fig2: Kit, change: dict[str, Any]) -> None:
    with refused("WD510"):
        saved(fig2, replace(HOOK, **change))


def test_a_flow_has_at_most_20_and_each_stays_with_its_flow(fig2: Kit) -> None:
    hooks = [saved(fig2) for _ in range(20)]
    with refused("WD510"):
        saved(fig2)
    with refused("WD511"):
        saved(fig2, HOOK, hooks[0].id + 1_000_000)
    api.webhooks.delete(hooks[0].id, conn=fig2.conn)
    with refused("WD511"):
        api.webhooks.read(hooks[0].id, conn=fig2.conn)
    assert len(api.webhooks.list([fig2.name], conn=fig2.conn)) == 19
