"""Other sessions while the re-match of a publication goes on in batches (K-17)."""

from __future__ import annotations

import threading
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from flows import api
from flows.capabilities.trials.tests.kernel.test_k_impact import (
    FINAL,
    PAY,
    SEND,
    SHOP,
    situation,
    with_triggers,
)
from flows.errors import LockBusy
from flows.tests.database.under_load import under_load
from flows.tests.kernel.work.batches import (
    AUDIT,
    MORE,
    begin,
    by_reaper,
    finish,
    fired,
    in_batches,
    jobs,
    violations,
)
from flows.tests.kernel.work.batches import reaper as reaper  # fixtures
from flows.tests.kernel.work.batches import shop as shop
from flows.tests.kit import Connection, Kit

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("batches", [0, 1])
def test_a_publisher_that_is_killed_is_followed_by_the_reaper(
    shop: Kit, reaper: Connection, batches: int
) -> None:
    """Its last batch is undone and made again; nothing of those before it is."""
    wids = [shop.start(items=9) for _ in range(8)]
    publisher = shop.connect()
    in_batches(publisher)
    version = publisher.execute("select wedsql.publish(%s, %s)", [shop.name, Jsonb(MORE)]).fetchone()[0][  # type: ignore[index]
        "version"
    ]
    for _ in range(batches):
        api.instances.continue_rematch(shop.name, version, conn=publisher)
    publisher.execute("begin")
    api.instances.continue_rematch(shop.name, version, conn=publisher)
    assert api.instances.rematch_due(conn=reaper) is None, "another session has the batch"
    assert shop.rows("select 1 from wedsql.trouble where flow_id = %s", [shop.id]) == [], "no session waited"
    shop.rows("select pg_terminate_backend(%s, 5000)", [publisher.info.backend_pid])
    with pytest.raises(psycopg.OperationalError):
        publisher.execute("commit")
    assert jobs(shop, "tr_audit") == wids[: 3 * batches]

    assert by_reaper(reaper) == 3 - batches

    assert fired(shop, "tr_audit") == wids
    report = api.instances.continue_rematch(shop.name, version, conn=shop.conn)
    assert report and (report.left, report.checked, report.fired) == (0, 8, {"tr_audit": 8})
    assert violations(shop) == []


def published_at_last(conn: Connection, definition: dict[str, Any]) -> bool:
    """Publish; return False if the other session had the flow for longer than a publication waits."""
    try:
        api.flows.publish(definition["flow"], definition, conn=conn)
    except LockBusy:
        return False
    return True


def test_two_publications_at_once_end_with_one(shop: Kit) -> None:
    """Each waits for the batches of the other, longer if the machine is slow, and none deadlocks."""
    wids = [shop.start(items=9) for _ in range(30)]
    published: list[str] = []

    def publish(name: str) -> None:
        conn = shop.connect()
        in_batches(conn)
        for _ in range(3):
            rule = {"transition": f"tr_{name}", "predicate": "items > 5"}
            definition = with_triggers(PAY, SEND, FINAL, rule) | {"flow": shop.name}
            while not published_at_last(conn, definition):
                pass
            published.append(name)

    threads = [threading.Thread(target=publish, args=[name]) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(published) == ["one"] * 3 + ["two"] * 3
    finish(shop)
    assert wids in (jobs(shop, "tr_one"), jobs(shop, "tr_two")) and violations(shop) == []


def test_instances_that_others_have_locked_are_left_to_the_end(shop: Kit, reaper: Connection) -> None:
    wids = [shop.start(items=9) for _ in range(7)]
    begin(shop, MORE)
    other = shop.connect()
    with other.transaction():
        other.execute(f"select 1 from {shop.name}.wed_flow where wid = %s for update", [wids[1]])
        assert by_reaper(reaper) == 3
        assert jobs(shop, "tr_audit") == [wid for wid in wids if wid != wids[1]]
        assert shop.one("select remaining from wedsql.rematches() where flow = %s", [shop.name]) == 1
        assert violations(shop) == []
    assert by_reaper(reaper) == 1
    assert jobs(shop, "tr_audit") == wids and violations(shop) == []


@pytest.mark.parametrize("option", [{}, {"fire_once": True}])
def test_what_ends_meanwhile_stays_as_it_is(shop: Kit, reaper: Connection, option: dict[str, Any]) -> None:
    wids = [shop.start(items=9) for _ in range(3)]
    begin(shop, with_triggers(PAY, SEND, FINAL, AUDIT | option))
    other = shop.connect()
    with other.transaction():
        api.instances.cancel(wids[1], reason="no more", conn=other)
        by_reaper(reaper)
        assert jobs(shop, "tr_audit") == [wids[0], wids[2]]
    by_reaper(reaper)
    assert jobs(shop, "tr_audit") == [wids[0], wids[2]]
    assert situation(shop)[wids[1]] == ("C", []) and violations(shop) == []
    finish(shop)


def test_an_instance_that_fails_stops_no_other(shop: Kit, reaper: Connection) -> None:
    wids = [shop.start(items=9) for _ in range(5)]
    version = begin(shop, MORE)["version"]
    shop.rows(
        "create function {f}.fail() returns trigger language plpgsql as "
        f"$$begin if new.wid = {wids[1]} then raise 'no room'; end if; return new; end$$"
    )
    shop.rows("create trigger fail before insert on wedsql.job_pool for each row execute function {f}.fail()")
    try:
        by_reaper(reaper)
    finally:
        shop.rows("drop trigger fail on wedsql.job_pool")
    report = api.instances.continue_rematch(shop.name, version, conn=shop.conn)
    assert report and (report.left, report.failed, report.failed_sample) == (0, 1, [wids[1]])
    assert jobs(shop, "tr_audit") == [wid for wid in wids if wid != wids[1]]
    trouble = shop.rows("select kind, wid, message from wedsql.trouble where flow_id = %s", [shop.id])
    assert [tuple(row) for row in trouble] == [("rematch", wids[1], "no room")]


def test_workers_go_on_meanwhile(kit: Kit) -> None:
    kit.publish(SHOP)
    in_batches(kit.conn, 2)
    wake = {"transition": "tr_wake", "predicate": "state is null"}
    with under_load(kit):
        for n in range(6):
            changed = with_triggers(PAY, SEND, wake, FINAL, AUDIT | {"predicate": f"items > {n}"})
            begin(kit, changed | {"final_when_pending": "cancel"})
            finish(kit)
    assert violations(kit) == []
