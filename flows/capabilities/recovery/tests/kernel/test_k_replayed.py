"""R9: a roll back after which recorded results are used again, and workers perform only what changed."""

from __future__ import annotations

import random
from typing import Any

import pytest

from flows import api
from flows.tests.kit import Kit, broken, refused
from flows.tests.spread import seeds

pytestmark = pytest.mark.kernel


@pytest.fixture
def order(kit: Kit) -> Kit:
    """Two branches, price and stock, that meet in an invoice; a card is charged; a mail is always sent."""
    kit.attrs("total", "price", "stock", "invoice", "mail", "charged")
    kit.trig("tr_price", "total is not null and price is null", replay="reuse", compensation="inverse")
    kit.trig("tr_stock", "stock is null", replay="reuse")
    kit.trig("tr_invoice", "price is not null and stock is not null and invoice is null", replay="reuse")
    kit.trig("tr_mail", "invoice is not null and mail is null")
    kit.trig("tr_charge", "mail is not null and charged is null", replay="reuse", compensation="transition",
             compensated_by="tr_refund", **{"class": "compensatable"})  # fmt: skip
    kit.final("charged = 'end'")
    return kit


def ran(kit: Kit, *more: tuple[str, dict[str, Any]]) -> int:
    wid = kit.start(total="1")
    steps = [("tr_price", {"price": "9"}), ("tr_stock", {"stock": "yes"}), ("tr_invoice", {"invoice": "I1"})]
    for transition, changes in (*steps, *more):
        kit.run(transition, wid, **changes)
    return wid


def again(kit: Kit, wid: int) -> list[tuple[str, int | None]]:
    """Return the steps of transitions after the roll back, each with the step whose result it has."""
    since = max(row.seq for row in kit.trace(wid) if row.trw == "_RECOVER:replay")
    return [(row.trw, row.replays_seq) for row in kit.trace(wid) if row.seq > since]


def replay(kit: Kit, wid: int, seq: int, **changes: Any) -> Any:
    arguments = {"seq": seq} | ({"changes": changes} if changes else {})
    return api.repairs.repair(wid, "replay", arguments, "Again.", actor="olga", conn=kit.conn)


def test_r9_unchanged_steps_have_their_recorded_results_without_a_worker(order: Kit) -> None:
    wid = ran(order, ("tr_mail", {"mail": "sent"}))
    shown = api.repairs.preview(wid, "replay", {"seq": 1}, conn=order.conn)
    reused = [{"seq": 2, "transition": "tr_price"}, {"seq": 3, "transition": "tr_stock"},
              {"seq": 4, "transition": "tr_invoice"}]  # fmt: skip
    assert shown.facts["reused"] == reused
    assert shown.facts["called"] == [{"seq": 5, "transition": "tr_mail", "why": "call"}]
    done = replay(order, wid, 1)
    assert (done.status, done.facts) == ("R", shown.facts)
    assert again(order, wid) == [("tr_price", 2), ("tr_stock", 3), ("tr_invoice", 4)]
    assert order.jobs(wid) == ["tr_mail"]
    assert order.state(wid) | {"mail": None} == order.state(wid)
    row = order.trace(wid)[-1]
    assert (row.actor, row.reason, row.state["invoice"]) == ("olga", "Again.", "I1")
    assert broken(order) == []


def test_r9_a_changed_value_calls_the_steps_that_read_it_and_those_that_depend_on_them(order: Kit) -> None:
    wid = ran(order, ("tr_mail", {"mail": "sent"}))
    shown = api.repairs.preview(wid, "replay", {"seq": 1, "changes": {"total": "2"}}, conn=order.conn)
    assert [one["why"] for one in shown.facts["called"]] == ["changed", "changed", "call"]
    replay(order, wid, 1, total="2")
    assert again(order, wid) == [("tr_stock", 3)]
    assert (order.jobs(wid), order.state(wid)["total"]) == (["tr_price"], "2")
    order.run("tr_price", wid, price="18")
    assert order.jobs(wid) == ["tr_invoice"]  # a worker makes the new invoice
    assert broken(order) == []


def test_r9_what_a_worker_compensated_is_called_again(order: Kit) -> None:
    wid = ran(order, ("tr_mail", {"mail": "sent"}), ("tr_charge", {"charged": "yes"}))
    order.rows("update {f}.wed_trig set replay = 'reuse' where trname = 'tr_mail'")
    shown = api.repairs.preview(wid, "replay", {"seq": 4}, conn=order.conn)
    assert [one["transition"] for one in shown.facts["reused"]] == ["tr_mail"]
    assert shown.facts["called"] == [{"seq": 6, "transition": "tr_charge", "why": "compensated"}]
    assert shown.status_after == "X"
    done = replay(order, wid, 4)
    assert (done.status, "reused" in done.facts, order.jobs(wid)) == ("X", False, ["tr_refund"])
    assert broken(order) == []
    order.run("tr_refund", wid)
    assert again(order, wid) == [("tr_mail", 5)]
    assert order.jobs(wid) == ["tr_charge"]
    assert broken(order) == []


def test_r9_a_result_is_used_again_of_the_present_course_only(order: Kit) -> None:
    wid = ran(order)
    api.compensations.roll_back(wid, 2, "No stock.", conn=order.conn)
    order.run("tr_stock", wid, stock="no")
    seq = order.instance(wid).seq
    replay(order, wid, 1)
    assert again(order, wid)[:2] == [("tr_price", 2), ("tr_stock", seq)]
    assert order.state(wid)["stock"] == "no"
    replay(order, wid, 1)  # results that were used again are used once more
    assert order.state(wid)["stock"] == "no"
    assert broken(order) == []


def test_r9_a_result_that_is_rejected_now_is_left_to_a_worker(order: Kit) -> None:
    wid = ran(order)
    order.rows("update {f}.wed_trig set writes = '{mail}' where trname = 'tr_stock'")
    replay(order, wid, 1)
    assert again(order, wid) == [("tr_price", 2)]
    order.rows("update {f}.wed_trig set writes = null where trname = 'tr_stock'")
    other = ran(order)
    order.rows("update {f}.wed_trig set replay = 'call' where trname = 'tr_price'")
    order.rows("update {f}.wed_trig set cpred = 'stock = ''yes''' where cfinal")
    replay(order, other, 1)  # it would be final while tr_price is pending
    assert (order.jobs(other), again(order, other)) == (["tr_price", "tr_stock"], [])
    assert broken(order) == []


def test_r9_refusals(order: Kit) -> None:
    wid = ran(order)
    for arguments, code in (
        ({"seq": 99}, "WD110"),
        ({"seq": 1, "changes": {"nothing": "1"}}, "WD002"),
    ):
        with refused(code):
            api.repairs.repair(wid, "replay", arguments, "x", conn=order.conn)
    order.rows("update {f}.wed_attr set repairable = false where aname = 'total'")
    with refused("WD210"):
        replay(order, wid, 1, total="5")
    order.rows("update {f}.wed_trig set class = 'pivot' where trname = 'tr_stock'")
    with refused("WD111"):
        replay(order, wid, 1)
    assert api.repairs.repair(wid, "replay", {"seq": 1, "override": True}, "x", conn=order.conn).status == "R"
    assert again(order, wid)[1] == ("tr_stock", 3)  # its effect was not undone, so it is not repeated


@pytest.mark.parametrize("seed", seeds(6, short=2))
def test_r9_random_flows_call_workers_only_for_changed_steps(kit: Kit, seed: int) -> None:
    """Each step adds up what its rule reads: the replay ends where a run from the changed state ends."""
    chance = random.Random(seed)  # noqa: S311  # no secret
    names = [f"v{n}" for n in range(8)]
    kit.attrs("a", "b", *names)
    reads = {name: chance.sample(["a", "b", *names[:n]], min(2, n + 2)) for n, name in enumerate(names)}
    for name, read in reads.items():
        filled = " and ".join(f"{each} is not null" for each in read)
        kit.trig(f"tr_{name}", f"{filled} and {name} is null", replay="reuse")
    kit.final("a = 'end'")

    def work(wid: int) -> set[str]:
        called = set()
        while jobs := [name for name in kit.jobs(wid) if name != "_EXCPT"]:
            job = chance.choice(jobs)
            state = kit.state(wid)
            kit.run(job, wid, **{job[3:]: "+".join(str(state[each]) for each in reads[job[3:]])})
            called.add(job)
        return called

    wid = kit.start(a="1", b="1")
    work(wid)
    length = len(kit.trace(wid))
    replay(kit, wid, 1, a="2")
    changed = {"a"}
    for name, read in reads.items():
        changed |= {name} if changed & set(read) else set()
    assert work(wid) == {f"tr_{name}" for name in changed - {"a"}}
    assert len(kit.trace(wid)) > length  # nothing of the history is lost
    fresh = kit.start(a="2", b="1")
    work(fresh)
    assert kit.state(wid) == kit.state(fresh)
    assert broken(kit) == []
