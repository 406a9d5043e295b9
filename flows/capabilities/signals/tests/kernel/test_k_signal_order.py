"""Signals at the same time: none is lost, and of those for one instance the oldest is delivered first."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from flows import api
from flows.capabilities.signals.api import SentSignal
from flows.tests.kit import Connection, Kit, refused
from testkit.waiting import until

pytestmark = pytest.mark.kernel
WAITS = "select count(*) from pg_locks where not granted and pid = %s"
Call = Callable[[Connection], Any]


@pytest.fixture
def counted(kit: Kit) -> Kit:
    """An order that is opened by a worker, and takes numbered payments from then on."""
    kit.attr("number", kind="text")
    kit.attrs("opened", "paid")
    kit.attr("n", kind="integer")
    kit.rows("update {f}.wed_attr set business_key = true where aname = 'number'")
    kit.trig("tr_open", "opened is null")
    kit.trig("pay", "opened is not null and coalesce(n, 0) < 9", signal=True, keep="1 hour", writes=["n"])
    kit.final("n = 9")
    return kit


def pay(kit: Kit, n: Any, to: int | str, conn: Connection | None = None, **options: Any) -> SentSignal:
    return api.signals.send(kit.name, "pay", {"n": n}, to=to, actor="bank", conn=conn or kit.conn, **options)


def paid(kit: Kit, wid: int) -> list[int]:
    """Return the numbers of the payments that the instance got, in their order."""
    return [step.state["n"] for step in kit.trace(wid) if step.trw == "pay"]


def reap(kit: Kit) -> None:
    kit.rows("select wedsql.reap()", (), kit.connect("wed_reaper"))


def at_once(kit: Kit, first: Call, second: Call) -> tuple[Any, Any]:
    """Return what two calls return, the second of which waits for the transaction of the first."""
    one, two = kit.connect(), kit.connect()
    with ThreadPoolExecutor() as pool:
        with one.transaction():
            before = first(one)
            later = pool.submit(second, two)
            until(lambda: later.done() or kit.one(WAITS, [two.info.backend_pid]) > 0)
        return before, later.result()


@pytest.mark.parametrize("first", ["signal", "start"])
def test_a_signal_that_starts_is_delivered_where_another_session_has_started(kit: Kit, first: str) -> None:
    kit.attr("n", "0", "integer")
    kit.trig("ord", "n < 9", signal=True)
    kit.policy(start_by=["ord"])

    def send(n: int) -> Call:
        return lambda conn: api.signals.send(kit.name, "ord", {"n": n}, to="k", token=f"t{n}", conn=conn).wid

    start: Call = lambda conn: api.instances.start(kit.name, {"n": 1}, key="k", conn=conn)  # noqa: E731
    wid, other = at_once(kit, send(1) if first == "signal" else start, send(2))
    assert (wid, [step.state["n"] for step in kit.trace(wid)]) == (other, [1, 2])
    sent = api.signals.list(kit.name, conn=kit.conn)
    assert [each.outcome for each in sent] == ["delivered", "started"][: len(sent)]


def test_a_start_says_whether_its_key_was_known(counted: Kit) -> None:
    start: Call = lambda conn: api.instances.start_many(counted.name, [{}], keys=["k"], conn=conn)[0]  # noqa: E731
    first, second = at_once(counted, start, start)
    assert (first.known, second.known, first.wid) == (False, True, second.wid)


def test_a_start_whose_snapshot_does_not_have_the_key_can_be_repeated(counted: Kit) -> None:
    careful = counted.connect()
    with refused("40001"), careful.transaction():
        counted.rows("set transaction isolation level repeatable read", conn=careful)
        counted.rows("select 1", conn=careful)
        api.instances.start(counted.name, key="k", conn=counted.conn)
        api.instances.start(counted.name, key="k", conn=careful)


def test_one_of_two_sessions_creates_a_flow(kit: Kit) -> None:
    name = f"{kit.name}_x"
    create: Call = lambda conn: api.flows.create(name, conn=conn)  # noqa: E731
    with refused("WD004"):
        at_once(kit, create, create)
    kit.rows("select wedsql.drop_flow(%s)", [name])


def test_a_newer_signal_does_not_overtake_kept_ones(counted: Kit) -> None:
    wid = counted.start()
    for n in (1, 2):
        assert pay(counted, n, wid).outcome == "kept"
    counted.run("tr_open", wid, opened="yes")
    assert pay(counted, 3, wid).outcome == "delivered"
    assert paid(counted, wid) == [1, 2, 3]


def test_a_newer_signal_gets_what_older_ones_leave(counted: Kit) -> None:
    wid = counted.start()
    pay(counted, 9, wid)
    counted.run("tr_open", wid, opened="yes")
    assert pay(counted, 2, wid).outcome == "ignored", "the older one was the last step"
    assert (counted.status(wid), paid(counted, wid)) == ("F", [9])


@pytest.mark.parametrize("key", ["number", "start"])
def test_one_that_was_kept_for_a_key_is_older_than_one_for_the_instance(counted: Kit, key: str) -> None:
    assert pay(counted, 1, "A-1").outcome == "kept"
    given = {"number": "A-1"} if key == "number" else {}
    wid = api.instances.start(counted.name, given, key="A-1" if key == "start" else None, conn=counted.conn)
    pay(counted, 2, wid), pay(counted, 3, "A-1")
    counted.run("tr_open", wid, opened="yes")
    pay(counted, 4, "A-1")
    assert paid(counted, wid) == [1, 2, 3, 4]


def test_a_kept_signal_that_is_rejected_holds_up_no_newer_one(counted: Kit) -> None:
    wid = counted.start()
    pay(counted, "x", wid), pay(counted, 1, wid)
    counted.run("tr_open", wid, opened="yes")
    assert pay(counted, 2, wid).outcome == "delivered"
    assert paid(counted, wid) == [1, 2]
    trouble = "select sqlstate from wedsql.trouble where flow_id = %s and kind = 'signals'"
    assert counted.one(trouble, [counted.id]) == "WD003"


def test_the_reaper_delivers_in_the_order_of_sending(counted: Kit) -> None:
    """The oldest one is locked when the reaper comes to it, and free when it comes to the next."""
    wid = counted.start()
    first = pay(counted, 1, wid)
    pay(counted, 2, wid)
    counted.run("tr_open", wid, opened="yes")
    reaping = counted.connect()
    kept = "select (wedsql._reap_signal(f, %s, wedsql.now())) from wedsql.flow f where f.id = %s"
    assert counted.one(kept, [first.id + 1, counted.id], reaping) is False
    reap(counted)
    assert paid(counted, wid) == [1, 2]
