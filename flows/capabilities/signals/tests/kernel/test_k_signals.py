"""Signals (X4): events from outside as results of pending jobs; workflow patterns 23 and 24."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from flows import api
from flows.capabilities.signals.api import SentSignal
from flows.tests.kit import Connection, Kit, refused
from testkit.waiting import until

pytestmark = pytest.mark.kernel


@pytest.fixture
def order(kit: Kit) -> Kit:
    """An order that is packed by a worker and waits for a payment from outside."""
    kit.attr("number", kind="text")
    kit.attrs("packed", "paid", "amount")
    kit.rows("update {f}.wed_attr set business_key = true where aname = 'number'")
    kit.trig("tr_pack", "packed is null")
    kit.trig("payment", "packed is not null and paid is null", signal=True, writes=["paid", "amount"])
    kit.final("paid is not null")
    return kit


def send(kit: Kit, conn: Connection | None = None, name: str = "payment", **options: Any) -> SentSignal:
    given = {"data": {"paid": "yes"}, "actor": "bank"} | options
    return api.signals.send(kit.name, name, conn=conn or kit.conn, **given)


def packed(kit: Kit, **state: Any) -> int:
    wid = kit.start(**state)
    kit.run("tr_pack", wid, packed="yes")
    return wid


def keep(kit: Kit, time: str = "1 hour") -> None:
    kit.rows("update {f}.wed_trig set keep = %s where trname = 'payment'", [time])


def reap(kit: Kit) -> None:
    kit.rows("select wedsql.reap()", (), kit.connect("wed_reaper"))


def outcomes(kit: Kit) -> list[str]:
    return [each.outcome for each in reversed(api.signals.list(kit.name, conn=kit.conn))]


def test_a_signal_is_the_result_of_the_job_that_waits_for_it(order: Kit) -> None:
    wid = packed(order)
    assert order.status(wid) == "R" and order.jobs(wid) == ["payment"]
    sent = send(order, to=wid)
    assert (sent.outcome, sent.wid, sent.seq, sent.repeated) == ("delivered", wid, 3, False)
    step = order.trace(wid)[-1]
    assert (step.trw, step.actor, step.status, order.state(wid)["paid"]) == ("payment", "bank", "F", "yes")


def test_a_transient_signal_before_its_job_has_no_effect(order: Kit) -> None:
    wid = order.start()
    assert send(order, to=wid).outcome == "ignored"
    order.run("tr_pack", wid, packed="yes")
    reap(order)
    assert (order.status(wid), outcomes(order)) == ("R", ["ignored"])


def test_a_persistent_signal_waits_for_its_job(order: Kit) -> None:
    keep(order)
    wid = order.start()
    assert send(order, to=wid).outcome == "kept"
    reap(order)
    assert outcomes(order) == ["kept"], "the order is not packed"
    order.run("tr_pack", wid, packed="yes")
    reap(order)
    assert (order.status(wid), outcomes(order)) == ("F", ["delivered"])
    assert api.signals.list(order.name, wid=wid, conn=order.conn)[0].seq == 3


def test_a_signal_that_was_kept_for_its_whole_time_expires(order: Kit) -> None:
    keep(order, "1 minute")
    wid = order.start()
    send(order, to=wid)
    later = order.connect("wed_reaper")
    order.clock("2 minutes", later)
    order.rows("select wedsql.reap()", (), later)
    assert outcomes(order) == ["expired"]
    order.run("tr_pack", wid, packed="yes")
    reap(order)
    assert order.status(wid) == "R"


def test_a_repeated_signal_gets_the_first_answer(order: Kit) -> None:
    wid = packed(order)
    first = send(order, to=wid, token="t-1")
    again = send(order, to=wid, token="t-1")
    assert (again.id, again.outcome, again.seq, again.repeated) == (first.id, "delivered", 3, True)
    assert len(order.trace(wid)) == 3
    with refused("WD561"):
        send(order, to=wid, token="t-1", data={"paid": "no"})


def test_two_senders_of_one_token_have_one_effect(order: Kit) -> None:
    wid = packed(order)
    one, two = order.connect(), order.connect()
    with ThreadPoolExecutor() as pool:
        with one.transaction():
            first = send(order, one, to=wid, token="t")
            second = pool.submit(send, order, two, to=wid, token="t")
            waits = "select count(*) from pg_locks where not granted and pid = %s"
            until(lambda: order.one(waits, [two.info.backend_pid]) > 0)
        assert second.result() == SentSignal(first.id, "delivered", wid, first.seq, True)


def test_a_key_names_the_instance(order: Kit) -> None:
    wid = api.instances.start(order.name, {"number": "A-1"}, key="from the shop", conn=order.conn)
    other = packed(order, number="A-2")
    order.run("tr_pack", wid, packed="yes")
    assert send(order, to="from the shop").wid == wid
    assert send(order, to="A-2").wid == other
    with refused("WD104"):
        send(order, to="A-3")
    packed(order, number="B"), packed(order, number="B")
    with refused("WD562"):
        send(order, to="B")


def test_a_kept_signal_says_why_it_is_not_delivered(order: Kit) -> None:
    keep(order)
    send(order, to="A-7")
    first, second = packed(order, number="A-7"), packed(order, number="A-7")
    assert api.signals.list(order.name, conn=order.conn)[0].problem is None
    order.reap()
    (kept,) = api.signals.list(order.name, conn=order.conn)
    assert kept.outcome == "kept" and "More than one instance" in str(kept.problem)
    api.instances.cancel(second, "Twice.", conn=order.conn)
    order.reap("30 minutes")
    (sent,) = api.signals.list(order.name, conn=order.conn)
    assert (sent.outcome, sent.wid, sent.problem) == ("delivered", first, None)


def test_a_kept_signal_waits_for_an_instance_with_its_key(order: Kit) -> None:
    keep(order)
    sent = send(order, to="A-7")
    (kept,) = api.signals.list(order.name, conn=order.conn)
    assert sent == SentSignal(kept.id, "kept", None, None, False)
    wid = order.start(number="A-7")
    reap(order)
    assert outcomes(order) == ["kept"], "the order is not packed"
    order.run("tr_pack", wid, packed="yes")
    reap(order)
    assert (order.status(wid), outcomes(order)) == ("F", ["delivered"])


def test_a_signal_starts_an_instance(order: Kit) -> None:
    order.policy(start_by=["order placed"])
    data = {"number": "A-9"}
    sent = send(order, name="order placed", data=data, to="web-9", token="t")
    assert sent.outcome == "started" and order.state(sent.wid or 0)["number"] == "A-9"
    assert send(order, name="order placed", data=data, to="web-9", token="t").wid == sent.wid
    assert send(order, name="order placed", data=data, to="web-9").outcome == "ignored", "it runs already"
    assert send(order, name="order placed", data=data).outcome == "started"


@pytest.mark.parametrize(
    ("code", "options"),
    [
        ("WD560", {"name": "nothing"}),
        ("WD560", {"name": "tr_pack"}),
        ("WD002", {"data": {"nothing": "x"}}),
        ("WD210", {"data": {"packed": "no"}}),
        ("WD009", {"data": ["x"]}),
        ("WD009", {"to": None}),
        ("WD009", {"token": "x" * 401}),
        ("WD104", {"to": 2147483647}),
    ],
)
def test_bad_signals_are_refused(order: Kit, code: str, options: dict[str, Any]) -> None:
    wid = packed(order)
    before = len(order.trace(wid))
    with refused(code):
        send(order, **({"to": wid} | options))
    assert (len(order.trace(wid)), outcomes(order)) == (before, []), "nothing is left of it"


def test_an_instance_that_has_ended_takes_no_signal(order: Kit) -> None:
    wid = packed(order)
    send(order, to=wid)
    with refused("WD105"):
        send(order, to=wid)


def test_a_suspended_instance_gets_a_kept_signal_when_it_resumes(order: Kit) -> None:
    keep(order)
    wid = packed(order)
    api.operations.suspend(wid, "Later.", conn=order.conn)
    assert send(order, to=wid).outcome == "kept"
    reap(order)
    assert order.status(wid) == "S"
    api.operations.resume(wid, "Now.", conn=order.conn)
    reap(order)
    assert order.status(wid) == "F"


def test_kept_signals_of_an_instance_are_limited(order: Kit) -> None:
    keep(order)
    wid = order.start()
    for _ in range(100):
        send(order, to=wid)
    with refused("WD563"):
        send(order, to=wid)
    assert send(order, to=order.start()).outcome == "kept"


def test_settled_signals_are_forgotten_after_thirty_days(order: Kit) -> None:
    keep(order, "1 year")
    send(order, to=packed(order))
    send(order, to=order.start())
    later = order.connect("wed_reaper")
    order.clock("31 days", later)
    order.rows("select wedsql.reap()", (), later)
    assert outcomes(order) == ["kept"]
