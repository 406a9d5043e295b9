"""Indexes of attributes that people filter by: requested, created beside writers, dropped."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from flows import api
from flows.tests.kit import Kit, refused
from testkit.waiting import until

pytestmark = pytest.mark.kernel

AMOUNT = {"name": "amount", "type": "integer"}
NOTE = {"name": "note"}


def publish(kit: Kit, *attributes: dict[str, Any]) -> None:
    done = {"final": True, "predicate": "code = 'done'"}
    go = {"transition": "tr_go", "predicate": "code = 'go'"}
    definition = {"attributes": [{"name": "code"}, *attributes], "triggers": [go, done]}
    kit.publish(definition)


def build(kit: Kit) -> list[str]:
    """Create and drop what is to be created and dropped in this flow; return the problems."""
    return [work.problem for work in api.indexes.build(conn=kit.conn) if work.flow == kit.name]


def indexes(kit: Kit) -> list[str]:
    """Return the columns of the indexes of attributes."""
    found = kit.rows(
        "select pg_get_indexdef(i.indexrelid, 1, true) || ', ' || pg_get_indexdef(i.indexrelid, 2, true) as"
        " columns from pg_index i join pg_class c on c.oid = i.indexrelid"
        " where i.indrelid = '{f}.wed_flow'::regclass and c.relname like 'attr_%%' and i.indisvalid"
        " order by 1"
    )
    return [row.columns for row in found]


def test_an_index_is_created_after_its_request_and_dropped_after_its_withdrawal(kit: Kit) -> None:
    publish(kit, AMOUNT, NOTE)
    assert api.indexes.of_attribute(kit.name, "amount", conn=kit.conn).state == "none"
    assert not api.indexes.request(kit.name, "amount", actor="ana", conn=kit.conn).problem
    api.indexes.request(kit.name, "note", conn=kit.conn)

    assert build(kit) == ["", ""]
    assert indexes(kit) == ["amount, wid", 'lower("left"(note, 100)), wid']
    found = api.indexes.of_attribute(kit.name, "amount", conn=kit.conn)
    assert (found.state, found.wanted, found.actor) == ("ready", True, "ana")
    assert found.bytes == kit.one(
        "select sum(pg_relation_size(x.indexrelid))::integer from pg_index x join pg_class c on c.oid ="
        " x.indexrelid where x.indrelid = '{f}.wed_flow'::regclass and c.relname like 'attr_%%'"
        " and pg_get_indexdef(c.oid, 1, true) = 'amount'"
    )
    assert build(kit) == []

    api.indexes.withdraw(kit.name, "amount", conn=kit.conn)
    assert build(kit) == [""] and indexes(kit) == ['lower("left"(note, 100)), wid']
    assert [one.attribute for one in api.indexes.list([kit.name], conn=kit.conn)] == ["note"]


def test_an_index_follows_its_attribute(kit: Kit) -> None:
    publish(kit, AMOUNT, NOTE)
    api.indexes.request(kit.name, "amount", conn=kit.conn)
    api.indexes.request(kit.name, "note", conn=kit.conn)
    build(kit)

    publish(kit, {"name": "sum", "was": "amount", "type": "integer"}, NOTE)
    assert "sum, wid" in indexes(kit) and build(kit) == []
    publish(kit, {"name": "sum", "type": "text"}, {"name": "note", "type": "integer"})
    assert indexes(kit) == [], "the columns of another type are others"
    assert build(kit) == ["", ""] and indexes(kit) == ['lower("left"(sum, 100)), wid', "note, wid"]
    publish(kit, {"name": "sum"}, {"name": "note", "type": "jsonb"})
    assert build(kit) == [] and indexes(kit) == ['lower("left"(sum, 100)), wid']
    publish(kit)
    assert indexes(kit) == [] and build(kit) == [] and api.indexes.list([kit.name], conn=kit.conn) == []


def test_an_index_is_gone_with_its_flow(kit: Kit) -> None:
    publish(kit, AMOUNT)
    api.indexes.request(kit.name, "amount", conn=kit.conn)
    api.flows.drop(kit.name, force=True, conn=kit.conn)
    assert kit.one("select count(*) from wedsql.attr_index x where x.flow_id = %s", [kit.id]) == 0
    assert build(kit) == []


def test_an_indexed_text_can_be_of_any_length(kit: Kit) -> None:
    publish(kit, NOTE)
    api.indexes.request(kit.name, "note", conn=kit.conn)
    build(kit)
    letters = "".join(str(n) for n in range(3000))
    assert kit.state(kit.start(code="go", note=letters))["note"] == letters


def test_only_who_designs_the_flow_changes_its_indexes(kit: Kit) -> None:
    publish(kit, AMOUNT)
    with refused("WD301"):
        api.indexes.request(kit.name, "amount", flows=["another"], conn=kit.conn)
    api.indexes.request(kit.name, "amount", flows=[kit.name], conn=kit.conn)
    with refused("WD301"):
        api.indexes.withdraw(kit.name, "amount", flows=[], conn=kit.conn)
    assert len(api.indexes.list([kit.name], conn=kit.conn)) == 1


def test_roles_without_a_reason_neither_request_nor_build(kit: Kit) -> None:
    publish(kit, AMOUNT)
    for role, call in (
        ("wed_worker", "request_index(%s, 'amount')"),
        ("wed_reaper", "request_index(%s, 'amount')"),
        ("wed_web", "index_work() where flow = %s"),
        ("wed_web", "index_tried(1, %s)"),
    ):
        with kit.conn.transaction(force_rollback=True), refused("42501"):
            kit.rows(f"set local role {role}")
            kit.rows(f"select * from wedsql.{call}", [kit.name])


def test_what_cannot_be_indexed_is_rejected(kit: Kit) -> None:
    many = [{"name": f"a{n}"} for n in range(11)]
    publish(kit, {"name": "extra", "type": "jsonb"}, *many)
    assert not api.indexes.of_attribute(kit.name, "extra", conn=kit.conn).supported
    with refused("WD009"):
        api.indexes.request(kit.name, "extra", conn=kit.conn)
    with refused("WD002"):
        api.indexes.request(kit.name, "nothing", conn=kit.conn)
    with refused("WD001"):
        api.indexes.of_attribute("no_such_flow", "extra", conn=kit.conn)
    for n in range(10):
        api.indexes.request(kit.name, f"a{n}", conn=kit.conn)
    api.indexes.request(kit.name, "a9", conn=kit.conn)
    with refused("WD009"):
        api.indexes.request(kit.name, "a10", conn=kit.conn)


def test_writers_do_not_wait_for_the_index(kit: Kit) -> None:
    """While a transaction from before lets the index wait, instances start and take steps."""
    publish(kit, AMOUNT)
    wid = kit.start(code="go", amount=1)
    api.indexes.request(kit.name, "amount", conn=kit.conn)
    before, builder = kit.connect(), kit.connect()
    with ThreadPoolExecutor() as threads, before.transaction():
        before.execute('select wedsql.start(%s, \'{"code": "go"}\')', [kit.name])
        done = threads.submit(api.indexes.build, conn=builder)
        until(lambda: api.indexes.of_attribute(kit.name, "amount", conn=kit.conn).state == "building")
        kit.rows("set lock_timeout = '2s'")
        kit.start(code="go", amount=2)
        with kit.conn.transaction():
            assert kit.complete(kit.take("tr_go", wid), {"code": "done"}).ok
        assert not done.done()
    assert [work.problem for work in done.result() if work.flow == kit.name] == [""]
    assert api.indexes.of_attribute(kit.name, "amount", conn=kit.conn).state == "ready"


def test_an_attempt_that_fails_is_recorded_and_made_again_later(kit: Kit) -> None:
    publish(kit, AMOUNT)
    api.indexes.request(kit.name, "amount", conn=kit.conn)
    number = kit.one("select aid from wedsql.attr_index where flow_id = %s", [kit.id])
    # The builder of an index that was killed leaves it like this.
    kit.rows(f"create index attr_{number} on {{f}}.wed_flow (amount, wid)")
    kit.rows(
        "update pg_index set indisvalid = false where indexrelid = to_regclass(%s)",
        [f'"{kit.name}".attr_{number}'],
    )
    assert api.indexes.of_attribute(kit.name, "amount", conn=kit.conn).state == "broken"
    assert build(kit) == ["", ""] and indexes(kit) == ["amount, wid"]

    kit.one("select wedsql.index_tried(%s, 'no space left')", [number])
    kit.rows(f"drop index {{f}}.attr_{number}")
    assert build(kit) == []
    assert api.indexes.of_attribute(kit.name, "amount", conn=kit.conn).problem == "no space left"
    kit.clock("11 minutes")
    assert build(kit) == [""]
    assert api.indexes.of_attribute(kit.name, "amount", conn=kit.conn).problem is None
