"""Commits of different instances never wait for each other, even with the same conditions or transitions."""

from __future__ import annotations

import pytest

from flows.tests.kit import Kit

pytestmark = pytest.mark.kernel


def test_f5_the_same_failing_condition_in_two_transactions(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_x", "a is not null")
    failing = [kit.numbered_trig(f"tr_{n}", f"a::integer = {n}") for n in range(2)]
    other = kit.connect()
    kit.rows("set lock_timeout = '2s'")
    with other.transaction():
        start = "insert into {f}.wed_flow (a) values ('x') returning wid"
        first = kit.one(start, conn=other)
        assert kit.one(start) != first, "no session waits"
    query = "select tgid, n from wedsql.condition_error where flow_id = %s order by tgid"
    assert [tuple(row) for row in kit.rows(query, [kit.id])] == [(tgid, 2) for tgid in failing]
    kit.reap()
    assert [tuple(row) for row in kit.rows(query, [kit.id])] == [(tgid, 2) for tgid in failing]


def test_f5_the_same_transition_by_two_clients_of_the_paper(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'")
    kit.final("a = '2'")
    wids = [kit.start(a="1"), kit.start(a="1")]
    other = kit.connect()
    kit.rows("set lock_timeout = '2s'")
    update = "update {f}.wed_flow set a = '2' where wid = %s"
    with other.transaction(), kit.conn.transaction():
        for conn, wid in ((other, wids[0]), (kit.conn, wids[1])):
            assert kit.lock(conn, wid, kit.pending(wid)[0].tgid)
            kit.rows(update, [wid], conn)
    assert [kit.status(wid) for wid in wids] == ["F", "F"]
    assert kit.one("select count(*) from wedsql.paper_client where flow_id = %s", [kit.id]) == 1
