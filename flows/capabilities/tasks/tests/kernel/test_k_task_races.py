"""Tasks while something that they depend on changes: persons who connect, and definitions (K-14)."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from flows import api
from flows.tests.kit import Connection, Kit, broken
from testkit.waiting import until

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

RULE: dict[str, Any] = {"transition": "tr_check", "predicate": "a is null", "performer": "person"}


def definition(kit: Kit, **options: Any) -> dict[str, Any]:
    rule = RULE | {"role": f"Clerk_{kit.name}"} | options
    final = {"predicate": "a is not null", "final": True}
    return {
        "attributes": [{"name": "a"}, {"name": "b"}],
        "triggers": [rule, final],
        "notified": "last_connected",
    }


def connect(kit: Kit, name: str, conn: Connection | None = None) -> None:
    api.persons.seen(f"{name}_{kit.name}", [f"r:Clerk_{kit.name}"], conn=conn or kit.conn)


def offered(kit: Kit, wid: int) -> list[str]:
    found = kit.one("select offered from wedsql.task_watch where wid = %s", [wid])
    return [name.split("_")[0] for name in found]


def test_who_connects_while_a_task_begins_is_offered_it_with_the_next_heartbeat(kit: Kit) -> None:
    kit.publish(definition(kit))
    one, two = kit.connect(), kit.connect()
    with one.transaction():
        wid = api.instances.start(kit.name, {}, conn=one)
        connect(kit, "ana", two)  # neither sees the other
    assert offered(kit, wid) == []
    kit.clock("61 seconds")
    connect(kit, "ana")
    assert offered(kit, wid) == ["ana"]


def test_who_stays_is_offered_what_was_offered_to_those_who_left(kit: Kit) -> None:
    kit.publish(definition(kit))
    connect(kit, "ana")
    kit.clock("1 second")
    connect(kit, "bob")
    wid = kit.start()
    assert offered(kit, wid) == ["bob"]
    for offset in ("62 seconds", "124 seconds", "186 seconds", "248 seconds"):
        kit.clock(offset)
        connect(kit, "ana")
    assert offered(kit, wid) == ["bob", "ana"]


def test_looks_for_offers_go_on_where_the_last_one_ended(kit: Kit) -> None:
    """Tasks that are offered to persons who come first hide none of those behind them."""
    kit.publish(definition(kit))
    kit.rows("select {f}.start_many(array_fill('{}'::jsonb, array[1120]))")
    held = "select count(*) from wedsql.task_watch where flow_id = %s and %s = any (offered)"
    for minute in range(4):
        kit.clock(f"{61 * minute} seconds")
        connect(kit, "ana")
    name = f"ana_{kit.name}"
    assert kit.one(held, [kit.id, name]) == 1120
    last = kit.one("select max(job_id) from wedsql.task where flow_id = %s", [kit.id])
    assert api.tasks.take(last, name, [], conn=kit.conn).owner == name
    assert len(api.persons.keys(name, conn=kit.conn)) == 1001


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ({}, {"sets_when_taken": "b = 'new'"}, "new"),
        ({"sets_when_taken": "b = 'old'"}, {}, None),
        ({"sets_when_taken": "b = 'old'"}, {"sets_when_taken": "b = 'new'"}, "new"),
    ],
)
def test_taking_sets_what_the_definition_says_that_waits_to_be_committed(
    kit: Kit, before: dict[str, Any], after: dict[str, Any], found: str | None
) -> None:
    kit.publish(definition(kit, **before) | {"notified": "all"})
    wid = kit.start()
    job = kit.pending(wid)[0].id
    one, two = kit.connect(), kit.connect()
    keys = [f"r:Clerk_{kit.name}"]
    thread = threading.Thread(target=lambda: api.tasks.take(job, "ana", keys, conn=two))
    with one.transaction():
        api.flows.publish(kit.name, definition(kit, **after) | {"notified": "all"}, conn=one)
        thread.start()
        until(
            lambda: kit.one("select cardinality(pg_blocking_pids(%s)) > 0", [two.info.backend_pid]),
            30,
            "no wait",
        )
    thread.join()
    assert kit.state(wid)["b"] == found and broken(kit) == []
    assert kit.one("select owner from wedsql.task where job_id = %s", [job]) == "ana"
