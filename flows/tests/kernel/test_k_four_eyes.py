"""Four eyes: which repairs need approvals, who may give them, and that no way leads around them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from flows import api
from flows.api.approving import ApprovalRule, Proposal
from flows.tests.kernel.test_k_bulk import finish, request
from flows.tests.kernel.test_k_case_people import kinds, open_case, together
from flows.tests.kernel.test_k_repair import everything, job_of
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
    api.save_approval_rules(kit.name, found, "boss", conn=kit.conn)


def stuck(kit: Kit, **state: Any) -> int:
    wid = kit.start(**state)
    kit.run("tr_pay", wid, stage="lost")
    return wid


def proposed(kit: Kit, wid: int, maker: str = "ann", operation: str = "patch", **arguments: Any) -> Proposal:
    arguments = arguments or {"changes": {"refund": 600, "stage": "paid"}}
    return api.propose_repair(wid, operation, arguments, "Why.", actor=maker, conn=kit.conn)


def approve(kit: Kit, found: Proposal, who: str, *groups: str, conn: Connection | None = None) -> Proposal:
    return api.approve_repair(found.number, who, groups, conn=conn or kit.conn)


def again(kit: Kit, found: Proposal) -> Proposal:
    return api.read_proposal(found.number, conn=kit.conn)


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
    seen = api.preview_repair(wid, "patch", {"changes": changes}, conn=shop.conn)
    assert seen.refusal is None and (seen.approvals.needed, seen.approvals.title) == (needed, title)
    assert everything(shop) == before and shop.one("select count(*) from wedsql.applying") == 0
    if not needed:
        with refused("WD521"):
            proposed(shop, wid, changes=changes)
        api.repair(wid, "patch", {"changes": changes}, "Why.", conn=shop.conn)
        return
    with refused("WD520") as why:
        api.repair(wid, "patch", {"changes": changes}, "Why.", conn=shop.conn)
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
    assert needed(shop, wid, "patch", changes={"stage": "x"}) == 1
    assert [one.missing for one in api.list_approval_rules(shop.name, conn=shop.conn)] == [["operation"]] * 2


def needed(kit: Kit, wid: int, operation: str, **arguments: Any) -> int:
    return api.preview_repair(wid, operation, arguments, conn=kit.conn).approvals.needed


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
    found = api.list_approval_rules(shop.name, conn=shop.conn)
    assert [(one.title, one.approvals, one.attributes) for one in found] == [
        (LARGE.title, 1, ["refund"]), (TWO.title, 2, ["refund"])]  # fmt: skip


def test_the_approval_of_another_person_applies_the_repair(shop: Kit) -> None:
    wid = stuck(shop)
    case = open_case(shop, wid)
    made = proposed(shop, wid)
    assert (made.state, made.needed, made.title, made.case) == ("proposed", 1, LARGE.title, case.number)
    assert made.expires_at == made.proposed_at + timedelta(hours=72)
    assert open_case(shop, wid).state == "proposed" and shop.status(wid) == "E"
    assert [one.number for one in api.list_cases([shop.name], {"state": "proposed"}, conn=shop.conn)] == [
        case.number
    ]
    assert api.next_case(None, "eve", flows=[shop.name], conn=shop.conn) is None
    for same in ("ann", "Ann", " ann "):
        with refused("WD523"):
            approve(shop, made, same)
        with refused("WD523"):
            api.reject_repair(made.number, same, "No.", conn=shop.conn)
    done = approve(shop, made, "bob")
    assert (done.state, [vote.voter for vote in done.votes]) == ("applied", ["bob"])
    assert (shop.state(wid)["refund"], shop.status(wid)) == (600, "R")
    last = shop.trace(wid)[-1]
    assert (last.trw, last.actor, last.reason) == ("_RECOVER:patch", "ann", f"Proposal {made.number}: Why.")
    assert api.read_case(case.number, conn=shop.conn).state == "applied"
    assert kinds(shop, case) == ["opened", "proposed", "approved", "closed", "applied"]
    assert shop.one("select count(*) from wedsql.applying") == 0 and broken(shop) == []
    with refused("WD521"):
        approve(shop, made, "cleo")


def test_two_approvals_are_of_two_other_persons(shop: Kit) -> None:
    wid = stuck(shop)
    made = proposed(shop, wid, changes={"refund": 6000, "stage": "paid"})
    assert approve(shop, made, "bob").state == open_case(shop, wid).state == "approved"
    for same in ("bob", "BOB", "ann"):
        with refused("WD523"):
            approve(shop, made, same)
    assert shop.status(wid) == "E"
    assert approve(shop, made, "cleo").state == "applied" and shop.state(wid)["refund"] == 6000


def test_persons_are_kept_apart_by_a_key_not_only_by_a_check(shop: Kit) -> None:
    made = proposed(shop, stuck(shop), changes={"refund": 6000})
    approve(shop, made, "bob")
    query = "select person from wedsql.proposal_person where proposal = %s"
    found = [each.person for each in shop.rows(query, [made.number])]
    assert sorted(found) == ["ann", "bob"]
    with refused("23505"):
        shop.rows("insert into wedsql.proposal_person values (%s, 'ann')", [made.number])


def test_a_delegate_is_no_second_person_beside_who_delegated(shop: Kit) -> None:
    until = datetime.now(UTC) + timedelta(days=2)
    conn = shop.conn
    given = api.delegate_approvals(shop.name, "Ann", "bob", until, actor="Ann", conn=conn)
    assert [one.from_person for one in api.list_delegations([shop.name], "bob", conn=conn)] == ["Ann"]
    made = proposed(shop, stuck(shop))
    with refused("WD523"):
        approve(shop, made, "bob")
    assert api.proposals_to_approve([shop.name], "bob", conn=conn) == []
    assert api.proposals_to_approve([shop.name], "cleo", conn=conn) == [made.number]
    other = proposed(shop, stuck(shop), "eve", changes={"refund": 6000})
    assert approve(shop, other, "bob").votes[0].on_behalf == ["Ann"]
    with refused("WD523"):
        approve(shop, other, "ann")
    assert approve(shop, other, "cleo").state == "applied"
    third = proposed(shop, stuck(shop), "eve", changes={"refund": 6000})
    approve(shop, third, "ann")
    with refused("WD523"):
        approve(shop, third, "bob")
    api.end_delegation(given.id, "ann", conn=conn)
    assert approve(shop, third, "bob").state == approve(shop, made, "bob").state == "applied"


def test_a_delegation_counts_from_its_begin_to_its_end(shop: Kit) -> None:
    conn, now = shop.conn, datetime.now(UTC)
    begin, until = now + timedelta(days=1), now + timedelta(days=2)
    made = api.delegate_approvals(shop.name, "ann", "bob", until, begin=begin, conn=conn)
    assert api.list_delegations([shop.name], "bob", conn=conn) == []
    assert approve(shop, proposed(shop, stuck(shop)), "bob").state == "applied"
    shop.clock("36 hours")
    assert [one.id for one in api.list_delegations([shop.name], "bob", conn=conn)] == [made.id]
    with refused("WD523"):
        approve(shop, proposed(shop, stuck(shop)), "bob")
    shop.clock("49 hours")
    assert api.list_delegations([shop.name], conn=conn) == []
    for giver, taker, end in (("a", " A ", until + timedelta(days=9)), ("", "b", until + timedelta(days=9)),
                              ("a", "b", now), ("a", "b", now + timedelta(days=400))):  # fmt: skip
        with refused("WD521"):
            api.delegate_approvals(shop.name, giver, taker, end, conn=conn)
    with refused("WD521"):
        api.end_delegation(made.id, conn=conn)


def test_only_members_of_the_group_of_a_rule_decide(shop: Kit) -> None:
    rules(shop, ApprovalRule(1, attributes=("refund",), approvers="finance"), ApprovalRule(1))
    made = proposed(shop, stuck(shop))
    assert made.approvers == ["finance"]
    assert api.proposals_to_approve([shop.name], "bob", ["sales"], conn=shop.conn) == []
    for groups in ((), ("sales",)):
        with refused("WD524"):
            approve(shop, made, "bob", *groups)
        with refused("WD524"):
            api.reject_repair(made.number, "bob", "No.", groups, conn=shop.conn)
    done = approve(shop, made, "bob", "sales", "finance")
    assert (done.state, done.votes[0].groups) == ("applied", ["finance"])


def test_a_proposal_is_rejected_with_a_reason_or_withdrawn_by_its_maker(shop: Kit) -> None:
    wid, conn = stuck(shop), shop.conn
    made = proposed(shop, wid)
    with refused("WD521"):
        proposed(shop, wid, "eve")
    with refused("WD009"):
        api.reject_repair(made.number, "bob", " ", conn=conn)
    done = api.reject_repair(made.number, "bob", "Too much.", conn=conn)
    assert (done.state, done.votes[0].kind, done.votes[0].note) == ("rejected", "rejected", "Too much.")
    assert open_case(shop, wid).state == "new"
    api.claim_case(open_case(shop, wid).number, "ann", conn=conn)
    made = proposed(shop, wid)
    assert open_case(shop, wid).state == "proposed"
    with refused("WD523"):
        api.withdraw_repair(made.number, "bob", conn=conn)
    assert api.withdraw_repair(made.number, "ANN", conn=conn).state == "withdrawn"
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
            api.propose_repair(wid, "accept", {}, "x", hours=hours, conn=shop.conn)
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
    api.repair(wid, "patch", {"changes": {"stage": "odd"}}, "x", conn=conn)
    assert open_case(shop, wid).state == "new"
    assert api.list_proposals([shop.name], wid=wid, conn=conn) == []
    before = shop.state(wid)
    done = approve(shop, made, "bob")
    assert done.state == "failed" and done.failure is not None and done.failure.code == "WD108"
    assert shop.state(wid) == before and kinds(shop, open_case(shop, wid))[-1] == "not_applied"
    api.repair(other.wid, "patch", {"changes": {"stage": "paid"}}, "x", conn=conn)
    shop.reap()
    assert again(shop, other).state == "failed" and broken(shop) == []
    assert [one.number for one in api.list_proposals([shop.name], closed=True, conn=conn)] == [
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


DOORS: dict[str, tuple[str, Callable[[Kit, Connection, int], Any]]] = {
    "cancel": ("cancel", lambda kit, conn, wid: api.cancel(wid, "x", conn=conn)),
    "suspend": ("suspend", lambda kit, conn, wid: api.suspend(wid, "x", conn=conn)),
    "abort": ("abort", lambda kit, conn, wid: api.abort(wid, "x", conn=conn)),
    "roll back": ("rollback", lambda kit, conn, wid: api.roll_back(wid, 1, "x", conn=conn)),
    "compensate": ("compensate", lambda kit, conn, wid: api.compensate(wid, 2, "x", conn=conn)),
    "rematch": ("rematch", lambda kit, conn, wid: api.rematch(kit.name, [wid], conn=conn)),
    "rematch all": ("rematch", lambda kit, conn, wid: api.rematch(kit.name, conn=conn)),
    "accept": ("accept", lambda kit, conn, wid: api.repair(wid, "accept", {}, "x", conn=conn)),
    "branch": ("branch", lambda kit, conn, wid: api.repair(wid, "branch", {"seq": 1}, "x", conn=conn)),
    "repair": ("cancel", lambda kit, conn, wid: api.repair(wid, "cancel", {}, "x", conn=conn)),
    "re-match": ("rematch", lambda kit, conn, wid: api.repair(wid, "rematch", {}, "x", conn=conn)),
}  # fmt: skip


@pytest.mark.parametrize("name", DOORS)
def test_no_function_of_the_pages_repairs_without_the_approvals(
    shop: Kit, web: Connection, name: str
) -> None:
    operation, call = DOORS[name]
    wid = stuck(shop)
    rules(shop, ApprovalRule(1, operations=(operation,)))
    web.execute("select set_config('wedsql.bulk_size', '-9', false)")
    before = everything(shop)
    with refused("WD520"), web.transaction():
        call(shop, web, wid)
    assert everything(shop)["trace"] == before["trace"] and everything(shop)["instance"] == before["instance"]
    rules(shop)
    call(shop, web, wid)
    assert everything(shop)["trace"] != before["trace"] or "rematch" in operation


@pytest.mark.parametrize("operation", ["retry", "withdraw", "extend", "reassign", "skip", "complete"])
def test_nor_does_one_of_a_job(shop: Kit, web: Connection, operation: str) -> None:
    wid = shop.start()
    job = job_of(shop, wid, "tr_pay")
    if operation == "retry":
        shop.fail("tr_pay", wid)
    rules(shop, ApprovalRule(1, operations=(operation,)))
    calls: dict[str, Callable[[], Any]] = {
        "retry": lambda: api.retry_job(wid, job, "x", conn=web),
        "withdraw": lambda: api.withdraw_job(wid, job, "x", conn=web),
        "extend": lambda: api.extend_job(wid, job, 9, "x", conn=web),
        "reassign": lambda: api.reassign_job(wid, job, "ann", "x", conn=web),
        "skip": lambda: api.repair(wid, "skip", {"job": job}, "x", conn=web),
        "complete": lambda: api.repair(wid, "complete", {"job": job}, "x", conn=web),
    }
    with refused("WD520"):
        calls[operation]()
    assert needed(shop, wid, operation, **arguments_of(operation, job)) == 1


def arguments_of(operation: str, job: int) -> dict[str, Any]:
    return {"job": job} | {"extend": {"seconds": 9}, "reassign": {"worker": "ann"}}.get(operation, {})


@pytest.mark.mode("single", "batch", "held", "lease", why="each way to commit")
def test_a_worker_cannot_commit_a_repair_that_needs_approvals(shop: Kit) -> None:
    wid = stuck(shop)
    with refused("WD520"):
        shop.run("_EXCPT", wid, refund=600)
    assert shop.state(wid)["refund"] == 0 and open_case(shop, wid).state == "new"
    shop.rows("rollback")
    shop.run("_EXCPT", wid, refund=500)
    assert shop.state(wid)["refund"] == 500


def test_undone_steps_are_matched_by_what_they_wrote(shop: Kit) -> None:
    wid = shop.start(refund=700)
    shop.run("tr_pay", wid, stage="lost", refund=1)
    for operation, arguments in (("rollback", {"seq": 1}), ("compensate", {"seq": 2}), ("abort", {})):
        seen = api.preview_repair(wid, operation, arguments, conn=shop.conn)
        assert (seen.refusal, seen.approvals.needed) == (None, 1), operation
    other = stuck(shop, refund=700)
    assert needed(shop, other, "rollback", seq=1) == 0, "the refund was not written"
    made = proposed(shop, wid, operation="rollback", seq=1)
    assert approve(shop, made, "bob").state == "applied" and shop.state(wid)["refund"] == 700


def test_an_operation_on_many_that_needs_approvals_is_refused(shop: Kit) -> None:
    """By the number of instances, and by the state of one of them."""
    rules(shop, ApprovalRule(1, operations=("cancel",), bulk_above=1),
          ApprovalRule(1, operations=("cancel",), condition="refund > 500"))  # fmt: skip
    small, large = shop.start(), shop.start(refund=900)
    for wids in ([small, large], [large]):
        with refused("WD520"):
            request(shop, wids, "cancel")
    made = request(shop, [small], "cancel")
    finish(shop.conn)
    assert [row.result for row in api.bulk_rows(made.id, conn=shop.conn)] == ["done"]


def test_the_tables_are_written_by_the_kernel_only(shop: Kit, web: Connection) -> None:
    for table in ("approval_rule", "proposal", "proposal_vote", "proposal_person", "delegation", "applying"):
        for statement in ("select from", "delete from", "truncate"):
            with refused("42501"):
                web.execute(f"{statement} wedsql.{table}")
        assert not shop.one(
            "select has_table_privilege('wed_web', %s, 'insert, update')", [f"wedsql.{table}"]
        )
    with refused("42501"):
        web.execute("select wedsql._repair(1, 'cancel', '{}', 'x', 'y', null)")


def test_proposals_of_other_flows_are_unknown(shop: Kit) -> None:
    made, conn, other = proposed(shop, stuck(shop)), shop.conn, ["other"]
    for call in (
        lambda: api.read_proposal(made.number, other, conn=conn),
        lambda: api.approve_repair(made.number, "bob", flows=other, conn=conn),
        lambda: api.reject_repair(made.number, "bob", "x", flows=other, conn=conn),
        lambda: api.withdraw_repair(made.number, "ann", flows=other, conn=conn),
        lambda: api.read_proposal(2**40, conn=conn),
    ):
        with refused("WD522"):
            call()
    assert api.list_proposals(other, conn=conn) == api.proposals_to_approve(other, "bob", conn=conn) == []


def test_of_two_who_approve_at_once_the_first_applies(shop: Kit) -> None:
    made = proposed(shop, stuck(shop))
    first, second = together(shop, lambda conn: approve(shop, made, "bob", conn=conn),
                             lambda conn: approve(shop, made, "cleo", conn=conn))  # fmt: skip
    assert first.state == "applied"
    with refused("WD521"):
        second.result(10)
    assert len(again(shop, made).votes) == 1 and broken(shop) == []


def test_two_approvals_at_once_apply_the_repair_once(shop: Kit) -> None:
    made = proposed(shop, stuck(shop), changes={"refund": 6000, "stage": "paid"})
    first, second = together(shop, lambda conn: approve(shop, made, "bob", conn=conn),
                             lambda conn: approve(shop, made, "cleo", conn=conn))  # fmt: skip
    assert (first.state, second.result(10).state) == ("approved", "applied")
    assert [row.trw for row in shop.trace(made.wid)].count("_RECOVER:patch") == 1


def test_the_reaper_leaves_a_proposal_that_is_being_approved(shop: Kit) -> None:
    made = proposed(shop, stuck(shop))

    def reap(conn: Connection) -> Any:
        conn.execute("select set_config('wedsql.test_offset', '73 hours', false)")
        return api.reap(conn=conn)

    first, second = together(shop, lambda conn: approve(shop, made, "bob", conn=conn), reap, waits=False)
    second.result(10)
    assert first.state == again(shop, made).state == "applied"


def test_an_approval_that_waits_for_the_end_of_a_proposal_is_refused(shop: Kit) -> None:
    made = proposed(shop, stuck(shop))
    _, second = together(shop, lambda conn: api.withdraw_repair(made.number, "ann", conn=conn),
                         lambda conn: approve(shop, made, "bob", conn=conn))  # fmt: skip
    with refused("WD521"):
        second.result(10)
    assert shop.status(made.wid) == "E"


def test_an_approval_that_waits_for_a_worker_fails(shop: Kit) -> None:
    made = proposed(shop, stuck(shop))

    def repair(conn: Connection) -> None:
        with shop.step(conn):
            shop.complete(shop.take("_EXCPT", made.wid, conn), {"stage": "done"}, conn=conn)

    _, second = together(shop, repair, lambda conn: approve(shop, made, "bob", conn=conn))
    found = second.result(10)
    assert found.state == "failed" and found.failure.code == "WD108"
    assert (shop.status(made.wid), shop.state(made.wid)["refund"]) == ("F", 0) and broken(shop) == []


def test_the_undo_of_a_repair_needs_the_approvals_of_that_operation(shop: Kit) -> None:
    rules(shop, ApprovalRule(1, operations=("accept",)), ApprovalRule(2, "", ("patch",), ("stage",)))
    wid = stuck(shop)
    api.repair(wid, "patch", {"changes": {"refund": 5}}, "Why.", conn=shop.conn)
    assert needed(shop, wid, "undo") == 0, "the stage is not written"
    api.repair(wid, "undo", {}, "Why.", conn=shop.conn)
    for operation, arguments, votes in (("patch", {"changes": {"stage": "none"}}, 2), ("accept", {}, 1)):
        found = api.propose_repair(wid, operation, arguments, "Why.", actor="ann", conn=shop.conn)
        for who in ("bob", "cid")[:votes]:
            approve(shop, found, who)
        before = everything(shop)
        assert needed(shop, wid, "undo") == votes
        with refused("WD520") as why:
            api.repair(wid, "undo", {}, "Why.", conn=shop.conn)
        assert why.facts["needed"] == votes and everything(shop) == before
        undo = api.propose_repair(wid, "undo", {}, "Why.", actor="ann", conn=shop.conn)
        for who in ("bob", "cid")[:votes]:
            undo = approve(shop, undo, who)
        assert undo.state == "applied" and shop.status(wid) == "E"
    assert broken(shop) == []
