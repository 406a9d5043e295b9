"""Changes of a prepared transaction are checked by PREPARE and kept until it is committed or rolled back."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from flows import api
from flows.tests.kit import Kit

WAYS = ["complete", "paper", "lease"]
pytestmark = [
    pytest.mark.kernel,
    pytest.mark.mode("single", why="each way of handing a result in is a parameter"),
]


@pytest.fixture
def two(one: Kit) -> Iterator[Kit]:
    """A flow on a server that allows prepared transactions; remaining ones are rolled back."""
    if one.one("show max_prepared_transactions") == "0":
        pytest.skip("the server allows no prepared transaction (max_prepared_transactions)")
    try:
        yield one
    finally:
        one.rows("rollback")
        for row in one.rows("select gid from pg_prepared_xacts where database = current_database()"):
            one.rows(f"rollback prepared '{row.gid}'")


def write(kit: Kit, way: str, wid: int, value: str = "2") -> None:
    """Complete the instance's job in a transaction that stays open."""
    job = kit.lease("tr_x") if way == "lease" else None
    kit.rows("begin")
    if way == "paper":
        assert kit.lock(kit.conn, wid, kit.pending(wid)[0].tgid)
        kit.rows("update {f}.wed_flow set a = %s where wid = %s", [value, wid])
    else:
        kit.complete(job or kit.take("tr_x", wid), {"a": value})


def prepare(kit: Kit) -> None:
    kit.rows("prepare transaction 'step'")


def is_free(kit: Kit, wid: int) -> bool:
    """Return whether another session can take the instance's job after its lease and back-off."""
    other = kit.connect()
    kit.clock("20 minutes", other)
    with other.transaction(force_rollback=True):
        return any(job.wid == wid for job in api.jobs.take_many(kit.name, ["tr_x"], 9, conn=other))


@pytest.mark.parametrize("way", WAYS)
def test_k09_a_prepared_result_is_applied_however_late_it_is_committed(two: Kit, way: str) -> None:
    wid = two.start(a="1")
    write(two, way, wid)
    two.clock("55 seconds")
    prepare(two)
    two.reap("10 minutes")
    assert (two.state(wid), two.status(wid), two.jobs(wid)) == ({"a": "1"}, "R", ["tr_x"])
    two.rows("commit prepared 'step'")
    assert (two.state(wid), two.status(wid), two.jobs(wid)) == ({"a": "2"}, "F", [])
    assert [t.trw for t in two.trace(wid)] == ["_INIT", "tr_x"]
    assert two.one("select count(*) from wedsql.commit_by") == 0


@pytest.mark.parametrize("way", WAYS)
def test_k09_the_prepare_must_come_in_time(two: Kit, way: str) -> None:
    wid = two.start(a="1")
    write(two, way, wid)
    two.clock("10 minutes")
    with pytest.raises(psycopg.Error) as caught:
        prepare(two)
    assert caught.value.sqlstate == "WD204"
    assert (two.state(wid), two.status(wid), two.jobs(wid)) == ({"a": "1"}, "R", ["tr_x"])
    assert two.rows("select gid from pg_prepared_xacts") == []


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("end", ["commit", "rollback"])
def test_k09_a_prepared_transaction_keeps_its_job_until_it_ends(two: Kit, way: str, end: str) -> None:
    wid, free = two.start(a="1"), two.start(a="1")
    write(two, way, wid)
    prepare(two)
    two.reap("10 minutes")
    assert (is_free(two, wid), is_free(two, free)) == (False, True)
    two.rows(f"{end} prepared 'step'")
    two.reap()
    assert is_free(two, wid) is (end == "rollback")
    assert two.state(wid) == {"a": "1" if end == "rollback" else "2"}


def test_k14_the_next_result_of_the_instance_waits_for_a_prepared_one(two: Kit) -> None:
    wid = two.start(a="1")
    write(two, "complete", wid)
    prepare(two)
    other = two.connect()
    other.execute("set lock_timeout = '50ms'")
    with pytest.raises(psycopg.errors.LockNotAvailable):
        two.rows("select from {f}.wed_flow where wid = %s for no key update", [wid], other)


def test_f4_a_key_of_a_prepared_start_is_given_once(two: Kit) -> None:
    two.rows("begin")
    wid = api.instances.start(two.name, {"a": "2"}, key="k", conn=two.conn)
    prepare(two)
    two.rows("commit prepared 'step'")
    assert api.instances.start(two.name, {"a": "2"}, key="k", conn=two.conn) == wid


def test_a_prepared_transaction_is_named_by_invariant_i8(two: Kit) -> None:
    write(two, "complete", two.start(a="1"))
    prepare(two)
    example = two.one("select example from wedsql.invariants() where name = 'I8' and not ok")
    assert example["prepared"] == "step"


@pytest.mark.parametrize("way", WAYS)
def test_what_notifies_cannot_be_prepared_and_changes_nothing(two: Kit, way: str) -> None:
    """PostgreSQL cannot prepare a transaction that sends a notification."""
    two.trig("tr_y", "a = '3'")
    wid = two.start(a="1")
    write(two, way, wid, "3")
    with pytest.raises(psycopg.errors.FeatureNotSupported, match="NOTIFY"):
        prepare(two)
    assert (two.state(wid), two.jobs(wid)) == ({"a": "1"}, ["tr_x"])
    two.reap("10 minutes")
    assert is_free(two, wid)
