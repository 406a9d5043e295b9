"""Operations on many instances that need approvals: one proposal, and its last approval starts them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from flows import api
from flows.capabilities.approvals.api import ApprovalRule, Proposal
from flows.capabilities.approvals.tests.kernel.test_k_four_eyes import forget_rules
from flows.capabilities.bulk.api import Bulk, BulkRequest, digest_at
from flows.capabilities.bulk.tests.kernel.test_k_bulk import finish
from flows.tests.kit import Connection, Kit, broken, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

LARGE = ApprovalRule(1, "A refund above 500", (), ("refund",), "refund > 500", None, "finance")
MANY = ApprovalRule(2, "Many at once", ("patch", "cancel"), bulk_above=2)


@pytest.fixture
def shop(kit: Kit) -> Kit:
    kit.attr("stage", "new")
    kit.attr("refund", 0, "integer")
    kit.attr("operation", "x")  # an attribute may have the name of a column or a parameter
    kit.trig("tr_pay", "stage = 'new'", max_attempts=1, compensation="inverse")
    kit.trig("tr_send", "stage = 'paid'")
    kit.final("stage = 'done'")
    kit.rows("delete from wedsql.bulk")  # which other tests left
    rules(kit, LARGE)
    return kit


@pytest.fixture
def reaper(kit: Kit) -> Any:
    conn = kit.connect("wed_reaper")
    yield conn
    conn.close()


def rules(kit: Kit, *found: ApprovalRule) -> None:
    forget_rules(kit)
    api.approvals.save_rules(kit.name, found, "boss", conn=kit.conn)


def stuck(kit: Kit, count: int = 2, **state: Any) -> list[int]:
    wids = [kit.start(**state) for _ in range(count)]
    for wid in wids:
        kit.run("tr_pay", wid, stage="lost")
    return wids


def request(
    kit: Kit, wids: Sequence[int], operation: str = "patch", *, propose: bool = True, **arguments: Any
) -> Bulk:
    if operation == "patch":
        arguments = arguments or {"changes": {"refund": 600, "stage": "paid"}}
    what = BulkRequest(operation, "The bank was down.", arguments=arguments, propose=propose)
    seqs = {wid: kit.instance(wid).seq for wid in wids}
    confirmed: dict[str, Any] = {"expected": len(wids)}
    if operation != "cancel":
        confirmed["digest"] = digest_at(seqs)
    return api.bulk.request(what, wids, **confirmed, actor="ann", conn=kit.conn)


def proposal(kit: Kit, made: Bulk) -> Proposal:
    assert made.proposal is not None
    return api.approvals.read(made.proposal, conn=kit.conn)


def approve(kit: Kit, made: Bulk, who: str, *groups: str) -> Proposal:
    assert made.proposal is not None
    return api.approvals.approve(made.proposal, who, groups, conn=kit.conn)


def results(kit: Kit, made: Bulk) -> list[tuple[str, str | None]]:
    return [(row.result, row.sqlstate) for row in api.bulk.rows(made.id, conn=kit.conn)]


def test_one_proposal_is_about_all_and_its_approval_starts_them(shop: Kit, reaper: Connection) -> None:
    wids = stuck(shop, 3)
    with refused("WD520") as why:
        request(shop, wids, propose=False)
    assert (why.facts["count"], why.facts["needed"], why.facts["groups"]) == (3, 1, ["finance"])
    made = request(shop, wids)
    found = proposal(shop, made)
    assert (made.state, found.state, found.needed, found.title) == ("proposed", "proposed", 1, LARGE.title)
    assert (found.wid, found.bulk, found.total, found.case) == (None, made.id, 3, None)
    assert found.number in api.approvals.to_approve([shop.name], "bob", ["finance"], conn=shop.conn)
    assert [one.number for one in api.approvals.list([shop.name], conn=shop.conn)] == [found.number]
    assert finish(reaper) == 0 and results(shop, made) == [("left", None)] * 3
    with refused("WD507"):
        api.bulk.resume(made.id, conn=shop.conn)
    with refused("WD523"):
        approve(shop, made, "Ann ", "finance")
    with refused("WD524"):
        approve(shop, made, "bob")
    done = approve(shop, made, "bob", "finance")
    assert (done.state, api.bulk.read(made.id, conn=shop.conn).state) == ("applied", "running")
    finish(reaper)
    assert results(shop, made) == [("done", None)] * 3
    assert {(shop.state(wid)["refund"], shop.trace(wid)[-1].actor) for wid in wids} == {(600, "ann")}
    assert shop.one("select count(*) from wedsql.applying") == 0 and broken(shop) == []


@pytest.mark.parametrize(
    ("operation", "arguments", "needed"),
    [("patch", {"changes": {"refund": "501"}}, 1), ("patch", {"changes": {"refund": 500}}, 0),
     ("patch", {"changes": {"stage": "paid"}}, 0), ("accept", {}, 0), ("abort", {}, 0),
     ("rollback", {"steps": 1}, 0), ("rollback", {"steps": 9}, 0)],
)  # fmt: skip
def test_what_is_needed_is_what_the_previews_need(
    shop: Kit, operation: str, arguments: dict[str, Any], needed: int
) -> None:
    """By the state and what is written after it, without performing it on each."""
    wids = stuck(shop, refund=900)
    what = BulkRequest(operation, "", arguments=arguments)
    assert api.approvals.of_bulk(what, wids, conn=shop.conn).needed == needed
    shown = [one.preview for one in api.bulk.preview(what, wids, conn=shop.conn)]
    assert {one.approvals.needed for one in shown if one is not None} <= {needed}


def test_undone_steps_count_by_what_they_wrote(shop: Kit) -> None:
    wids = stuck(shop)
    for wid in wids:
        api.repairs.repair(wid, "patch", {"changes": {"stage": "new"}}, "x", conn=shop.conn)
        shop.run("tr_pay", wid, stage="lost", refund=100)
    for text, needed in (("refund < 50", 1), ("refund > 50", 0)):
        rules(shop, ApprovalRule(1, "", (), ("refund",), text))
        for operation, arguments in (("rollback", {"steps": 1}), ("abort", {})):
            what = BulkRequest(operation, "", arguments=arguments)
            assert api.approvals.of_bulk(what, wids, conn=shop.conn).needed == needed
            (row, _) = api.bulk.preview(what, wids, conn=shop.conn)
            assert row.preview is not None and row.preview.approvals.needed == needed


def test_the_cases_are_proposed_until_it_is_decided(shop: Kit) -> None:
    """Where the instance is at the step at which it was selected, and only while the proposal waits."""

    def states() -> list[str]:
        shown = (api.cases.list([shop.name], {"wid": wid}, conn=shop.conn) for wid in wids)
        return [one.state for (one,) in shown]

    wids = stuck(shop, 3)
    made = request(shop, wids[:2])
    assert states() == ["proposed", "proposed", "new"]
    assert [one.bulk for one in api.approvals.list([shop.name], wid=wids[0], conn=shop.conn)] == [made.id]
    assert api.approvals.list([shop.name], wid=wids[2], conn=shop.conn) == []
    assert len(api.cases.list([shop.name], {"state": "proposed"}, conn=shop.conn)) == 2
    taken = api.cases.next(None, "eve", flows=[shop.name], conn=shop.conn)
    assert taken is not None and taken.wid == wids[2]
    api.repairs.repair(wids[0], "patch", {"changes": {"operation": "y"}}, "x", conn=shop.conn)
    assert states() == ["new", "proposed", "claimed"]
    api.approvals.reject(proposal(shop, made).number, "bob", "No.", ["finance"], conn=shop.conn)
    assert states() == ["new", "new", "claimed"]


def test_two_approvals_for_many_and_none_for_few(shop: Kit, reaper: Connection) -> None:
    rules(shop, MANY)
    wids = [shop.start() for _ in range(5)]
    few = request(shop, wids[:2], "cancel", propose=False)
    assert (few.state, few.proposal) == ("running", None)
    with refused("WD521"):
        request(shop, wids[:2], "cancel")
    many = request(shop, wids[2:], "cancel")
    assert approve(shop, many, "bob").state == "approved"
    with refused("WD523"):
        approve(shop, many, "bob")
    finish(reaper)
    assert [shop.status(wid) for wid in wids] == ["C", "C", "R", "R", "R"]
    assert approve(shop, many, "eve").state == "applied"
    finish(reaper)
    assert {shop.status(wid) for wid in wids} == {"C"} and results(shop, many) == [("done", None)] * 3


def test_nothing_is_done_without_the_approval(shop: Kit, reaper: Connection) -> None:
    """Withdrawn by its maker, rejected, or expired."""
    wids = stuck(shop)
    withdrawn, rejected, expired = (request(shop, wids) for _ in range(3))
    found = [proposal(shop, made).number for made in (withdrawn, rejected, expired)]
    api.approvals.withdraw(found[0], "ann", conn=shop.conn)
    api.approvals.reject(found[1], "bob", "No.", ["finance"], conn=shop.conn)
    shop.reap("73 hours")
    ended = [(proposal(shop, made).state, api.bulk.read(made.id, conn=shop.conn))
             for made in (withdrawn, rejected, expired)]  # fmt: skip
    assert [state for state, _ in ended] == ["withdrawn", "rejected", "expired"]
    assert [(made.state, made.changed_by) for _, made in ended] == [
        ("withdrawn", "ann"), ("withdrawn", "bob"), ("withdrawn", "kernel")]  # fmt: skip
    assert finish(reaper) == 0 and {shop.state(wid)["refund"] for wid in wids} == {0}


def test_an_instance_that_moved_is_left_and_the_others_are_repaired(shop: Kit, reaper: Connection) -> None:
    wids = stuck(shop, 3)
    made = request(shop, wids)
    api.repairs.repair(wids[1], "patch", {"changes": {"operation": "y"}}, "x", conn=shop.conn)
    approve(shop, made, "bob", "finance")
    finish(reaper)
    assert results(shop, made) == [("done", None), ("refused", "WD108"), ("done", None)]


def test_what_the_rules_ask_for_by_now_counts(shop: Kit, reaper: Connection) -> None:
    """Before the last approval for all of them, after it for each instance."""
    wids = stuck(shop)
    first = request(shop, wids)
    rules(shop, ApprovalRule(2, "Two"))
    failed = approve(shop, first, "bob", "finance")
    assert failed.state == "failed" and failed.failure is not None and failed.failure.code == "WD520"
    assert api.bulk.read(first.id, conn=shop.conn).state == "withdrawn"
    rules(shop, LARGE)
    second = request(shop, wids)
    approve(shop, second, "bob", "finance")
    rules(shop, LARGE, ApprovalRule(1, "Law", (), ("stage",), "", None, "law"))
    finish(reaper)
    assert results(shop, second) == [("refused", "WD520")] * 2


def test_a_proposal_of_another_version_fails(shop: Kit) -> None:
    made = request(shop, stuck(shop))
    shop.trig("tr_more", "stage = 'more'")
    failed = approve(shop, made, "bob", "finance").failure
    assert failed is not None and failed.code == "WD521"
