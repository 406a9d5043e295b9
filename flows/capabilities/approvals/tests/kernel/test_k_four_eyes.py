"""Four eyes: which repairs need approvals, and what becomes of a proposal."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from flows import api
from flows.capabilities.approvals.api import ApprovalRule, Proposal
from flows.capabilities.cases.tests.kernel.test_k_case_people import kinds, open_case
from flows.capabilities.recovery.tests.kernel.test_k_repair import everything
from flows.tests.kit import Connection, Kit, broken, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

LARGE = ApprovalRule(1, "A refund above 500", (), ("refund",), "refund > 500")
TWO = ApprovalRule(2, "A refund above 5000", ("patch",), ("refund",), "refund > 5000")


@pytest.fixture
def shop(kit: Kit) -> Kit:
    """A flow with a refund: above 500 it needs one approval, above 5000 two."""
    kit.rows("set timezone = 'UTC'; set datestyle = 'ISO'")
    kit.attr("stage", "new")
    kit.attr("refund", 0, "integer")
    kit.attr("operation", "x")  # an attribute may have the name of a column or a parameter
    kit.trig("tr_pay", "stage = 'new'", backoff="1 hour", max_attempts=1, compensation="inverse")
    kit.trig("tr_send", "stage = 'paid'")
    kit.final("stage = 'done'")
    rules(kit, LARGE, TWO)
    return kit


def rules(kit: Kit, *found: ApprovalRule) -> None:
    forget_rules(kit)
    api.approvals.save_rules(kit.name, found, "boss", conn=kit.conn)


def forget_rules(kit: Kit) -> None:
    """Delete the rules of the flow as the owner of the table does: no function removes one by itself."""
    kit.rows("delete from wedsql.approval_rule where flow_id = %s", [kit.id])


def stuck(kit: Kit, **state: Any) -> int:
    wid = kit.start(**state)
    kit.run("tr_pay", wid, stage="lost")
    return wid


def proposed(kit: Kit, wid: int, maker: str = "ann", operation: str = "patch", **arguments: Any) -> Proposal:
    arguments = arguments or {"changes": {"refund": 600, "stage": "paid"}}
    return api.approvals.propose(wid, operation, arguments, "Why.", actor=maker, conn=kit.conn)


def approve(kit: Kit, found: Proposal, who: str, *groups: str, conn: Connection | None = None) -> Proposal:
    return api.approvals.approve(found.number, who, groups, conn=conn or kit.conn)


def again(kit: Kit, found: Proposal) -> Proposal:
    return api.approvals.read(found.number, conn=kit.conn)


@pytest.mark.parametrize(
    ("changes", "needed", "title"),
    [({"refund": 500}, 0, ""), ({"refund": 501}, 1, LARGE.title), ({"refund": 5001}, 2, TWO.title),
     ({"refund": None}, 0, ""), ({"stage": "paid"}, 0, "")],
)  # fmt: skip
def test_the_largest_number_of_the_rules_that_match_the_changed_state_counts(
    shop: Kit, changes: dict[str, Any], needed: int, title: str
) -> None:
    wid, before = stuck(shop), None
    before = everything(shop)
    seen = api.repairs.preview(wid, "patch", {"changes": changes}, conn=shop.conn)
    assert seen.refusal is None and (seen.approvals.needed, seen.approvals.title) == (needed, title)
    assert everything(shop) == before and shop.one("select count(*) from wedsql.applying") == 0
    if not needed:
        with refused("WD521"):
            proposed(shop, wid, changes=changes)
        api.repairs.repair(wid, "patch", {"changes": changes}, "Why.", conn=shop.conn)
        return
    with refused("WD520") as why:
        api.repairs.repair(wid, "patch", {"changes": changes}, "Why.", conn=shop.conn)
    assert (why.facts["needed"], why.facts["title"], why.facts["groups"]) == (needed, title, [])
    assert everything(shop) == before


def test_a_rule_is_about_what_is_written_and_one_that_cannot_be_evaluated_matches(shop: Kit) -> None:
    wid = stuck(shop, refund=900)
    assert needed(shop, wid, "patch", changes={"stage": "paid"}) == 0, "the refund is not written"
    rules(shop, ApprovalRule(1, condition="refund > 500"))
    assert needed(shop, wid, "patch", changes={"stage": "paid"}) == 1
    rules(shop, ApprovalRule(1, operations=("accept", "cancel")))
    assert [needed(shop, wid, name) for name in ("accept", "cancel", "suspend")] == [1, 1, 0]
    rules(shop, ApprovalRule(1, condition="10 / refund > 0"))
    assert [needed(shop, wid, "patch", changes={"refund": n}) for n in (1, 0, 20)] == [1, 1, 0]
    rules(shop, ApprovalRule(1, condition="operation = 'y'"), ApprovalRule(2, attributes=("operation",)))
    assert needed(shop, wid, "patch", changes={"stage": "x"}) == 0
    shop.rows("delete from {f}.wed_attr where aname = 'operation'")
    assert needed(shop, wid, "patch", changes={"stage": "x"}) == 2
    assert [one.missing for one in api.approvals.list_rules(shop.name, conn=shop.conn)] == [["operation"]] * 2


def needed(kit: Kit, wid: int, operation: str, **arguments: Any) -> int:
    return api.repairs.preview(wid, operation, arguments, conn=kit.conn).approvals.needed


def test_rules_of_another_form_are_refused_and_the_old_ones_stay(shop: Kit) -> None:
    wrong = [ApprovalRule(3), ApprovalRule(-1), ApprovalRule(1, operations=("explode",)),
             ApprovalRule(1, attributes=("colour",)), ApprovalRule(1, bulk_above=0),
             ApprovalRule(1, title="x" * 151)]  # fmt: skip
    for one in wrong:
        with refused("WD521"), shop.conn.transaction():
            rules(shop, one)
    with refused("WD521"), shop.conn.transaction():
        rules(shop, *[LARGE] * 51)
    with refused("WD005"), shop.conn.transaction():
        rules(shop, ApprovalRule(1, condition="refund > (select 1)"))
    found = api.approvals.list_rules(shop.name, conn=shop.conn)
    assert [(one.title, one.approvals, one.attributes) for one in found] == [
        (LARGE.title, 1, ["refund"]), (TWO.title, 2, ["refund"])]  # fmt: skip


def test_the_approval_of_another_person_applies_the_repair(shop: Kit) -> None:
    wid = stuck(shop)
    case = open_case(shop, wid)
    made = proposed(shop, wid)
    assert (made.state, made.needed, made.title, made.case) == ("proposed", 1, LARGE.title, case.number)
    assert made.expires_at == made.proposed_at + timedelta(hours=72)
    assert open_case(shop, wid).state == "proposed" and shop.status(wid) == "E"
    assert [one.number for one in api.cases.list([shop.name], {"state": "proposed"}, conn=shop.conn)] == [
        case.number
    ]
    assert api.cases.next(None, "eve", flows=[shop.name], conn=shop.conn) is None
    for same in ("ann", "Ann", " ann "):
        with refused("WD523"):
            approve(shop, made, same)
        with refused("WD523"):
            api.approvals.reject(made.number, same, "No.", conn=shop.conn)
    done = approve(shop, made, "bob")
    assert (done.state, [vote.voter for vote in done.votes]) == ("applied", ["bob"])
    assert (shop.state(wid)["refund"], shop.status(wid)) == (600, "R")
    last = shop.trace(wid)[-1]
    assert (last.trw, last.actor, last.reason) == ("_RECOVER:patch", "ann", f"Proposal {made.number}: Why.")
    assert api.cases.read(case.number, conn=shop.conn).state == "applied"
    assert kinds(shop, case) == ["opened", "proposed", "approved", "closed", "applied"]
    assert shop.one("select count(*) from wedsql.applying") == 0 and broken(shop) == []
    with refused("WD521"):
        approve(shop, made, "cleo")


def test_a_proposal_is_rejected_with_a_reason_or_withdrawn_by_its_maker(shop: Kit) -> None:
    wid, conn = stuck(shop), shop.conn
    made = proposed(shop, wid)
    with refused("WD521"):
        proposed(shop, wid, "eve")
    with refused("WD009"):
        api.approvals.reject(made.number, "bob", " ", conn=conn)
    done = api.approvals.reject(made.number, "bob", "Too much.", conn=conn)
    assert (done.state, done.votes[0].kind, done.votes[0].note) == ("rejected", "rejected", "Too much.")
    assert open_case(shop, wid).state == "new"
    api.cases.claim(open_case(shop, wid).number, "ann", conn=conn)
    made = proposed(shop, wid)
    assert open_case(shop, wid).state == "proposed"
    with refused("WD523"):
        api.approvals.withdraw(made.number, "bob", conn=conn)
    assert api.approvals.withdraw(made.number, "ANN", conn=conn).state == "withdrawn"
    assert open_case(shop, wid).state == "claimed" and shop.status(wid) == "E"
    with refused("WD521"):
        approve(shop, made, "bob")
    case = open_case(shop, wid)
    assert kinds(shop, case) == ["opened", "proposed", "rejected", "claimed", "proposed", "withdrawn"]


def test_a_proposal_expires(shop: Kit) -> None:
    wid = stuck(shop)
    made = proposed(shop, wid)
    for hours in (0, 721):
        with refused("WD521"):
            api.approvals.propose(wid, "accept", {}, "x", hours=hours, conn=shop.conn)
    shop.clock("73 hours")
    assert again(shop, made).state == "expired" and open_case(shop, wid).state == "new"
    with refused("WD521"):
        approve(shop, made, "bob")
    shop.reap("73 hours")
    assert again(shop, made).closed_at is not None and kinds(shop, open_case(shop, wid))[-1] == "expired"
    assert proposed(shop, wid).state == "proposed"


def test_a_proposal_of_an_instance_that_moved_fails_and_changes_nothing(shop: Kit) -> None:
    wid, conn = stuck(shop), shop.conn
    made, other = proposed(shop, wid), proposed(shop, stuck(shop))
    api.repairs.repair(wid, "patch", {"changes": {"stage": "odd"}}, "x", conn=conn)
    assert open_case(shop, wid).state == "new"
    assert api.approvals.list([shop.name], wid=wid, conn=conn) == []
    before = shop.state(wid)
    done = approve(shop, made, "bob")
    assert done.state == "failed" and done.failure is not None and done.failure.code == "WD108"
    assert shop.state(wid) == before and kinds(shop, open_case(shop, wid))[-1] == "not_applied"
    api.repairs.repair(other.wid, "patch", {"changes": {"stage": "paid"}}, "x", conn=conn)
    shop.reap()
    assert again(shop, other).state == "failed" and broken(shop) == []
    assert [one.number for one in api.approvals.list([shop.name], closed=True, conn=conn)] == [
        other.number, made.number]  # fmt: skip


def test_what_other_rules_or_another_definition_ask_for_is_not_applied(shop: Kit) -> None:
    first, second = proposed(shop, stuck(shop)), proposed(shop, stuck(shop))
    rules(shop, ApprovalRule(2))
    done = approve(shop, first, "bob")
    assert done.state == "failed" and done.failure is not None and done.failure.code == "WD520"
    rules(shop, LARGE)
    shop.trig("tr_new", "refund = 600")
    done = approve(shop, second, "bob")
    assert done.state == "failed" and done.failure is not None and done.failure.code == "WD521"
    assert shop.status(first.wid) == shop.status(second.wid) == "E"
    assert shop.one("select count(*) from wedsql.applying") == 0


def test_proposals_of_other_flows_are_unknown(shop: Kit) -> None:
    made, conn, other = proposed(shop, stuck(shop)), shop.conn, ["other"]
    for call in (
        lambda: api.approvals.read(made.number, other, conn=conn),
        lambda: api.approvals.approve(made.number, "bob", flows=other, conn=conn),
        lambda: api.approvals.reject(made.number, "bob", "x", flows=other, conn=conn),
        lambda: api.approvals.withdraw(made.number, "ann", flows=other, conn=conn),
        lambda: api.approvals.read(2**40, conn=conn),
    ):
        with refused("WD522"):
            call()
    assert api.approvals.list(other, conn=conn) == api.approvals.to_approve(other, "bob", conn=conn) == []
