"""R15: an instance whose past the present definition explains is moved to it; another one is replayed."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.capabilities.approvals.api import ApprovalRule
from flows.tests.kit import Kit, broken, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]


@pytest.fixture
def loan(kit: Kit) -> Kit:
    """Check an amount, rate it and offer; the amount from which it is checked changes."""
    kit.attrs("amount", "checked", "rate", "offer")
    kit.trig("tr_check", "amount is not null and checked is null", replay="reuse")
    kit.trig("tr_rate", "checked is not null and rate is null", replay="reuse")
    kit.trig("tr_offer", "rate is not null and offer is null", replay="reuse")
    kit.final("offer = 'end'")
    return kit


def ran(kit: Kit, **state: Any) -> int:
    wid = kit.start(**({"amount": "5"} | state))
    for transition, changes in (("tr_check", {"checked": "ok"}), ("tr_rate", {"rate": "3"})):
        kit.run(transition, wid, **changes)
    return wid


def migrate(kit: Kit, wid: int, **arguments: Any) -> Any:
    return api.repairs.repair(wid, "migrate", arguments, "New rules.", actor="olga", conn=kit.conn)


def test_r15_a_past_that_is_explained_is_only_noted(loan: Kit) -> None:
    wid = ran(loan)
    loan.rows("update {f}.wed_trig set cpred = cpred || ' and true' where trname = 'tr_rate'")
    loan.attr("more", "1")
    loan.rows("update {f}.wed_trig set cpred = cpred || ' and more = ''1''' where trname = 'tr_check'")
    version = loan.one("select version from wedsql.flow where id = %s", [loan.id])
    shown = api.repairs.preview(wid, "migrate", conn=loan.conn)
    assert (shown.refusal, shown.facts, shown.steps) == (None, {"unexplained": None}, ["_RECOVER:migrate"])
    migrate(loan, wid, version=version)
    row = loan.trace(wid)[-1]
    assert (row.trw, row.actor, row.version, loan.jobs(wid)) == (
        "_RECOVER:migrate",
        "olga",
        version,
        ["tr_offer"],
    )
    assert loan.instance(wid).version == version
    assert broken(loan) == []


def test_r15_else_it_is_replayed_from_the_last_step_that_is_explained(loan: Kit) -> None:
    wid, small = ran(loan), ran(loan, amount="1")
    loan.rows("update {f}.wed_trig set cpred = 'checked is not null and amount = ''1'' and rate is null'"
              " where trname = 'tr_rate'")  # fmt: skip
    loan.trig("tr_ask", "checked is not null and amount <> '1' and rate is null")
    shown = api.repairs.preview(wid, "migrate", conn=loan.conn)
    assert (shown.facts["unexplained"], shown.facts["reused"]) == (3, [])
    assert [one["transition"] for one in shown.facts["called"]] == ["tr_rate"]
    migrate(loan, wid)
    assert (loan.jobs(wid), loan.state(wid)["rate"], loan.state(wid)["checked"]) == (["tr_ask"], None, "ok")
    assert api.repairs.preview(wid, "migrate", conn=loan.conn).facts == {"unexplained": None}
    assert migrate(loan, small).facts == {"unexplained": None}
    assert loan.jobs(small) == ["tr_offer"]
    assert broken(loan) == []


def test_r15_what_is_still_explained_has_its_results_again(loan: Kit) -> None:
    wid = ran(loan)
    loan.rows("update {f}.wed_trig set cpred = 'amount = ''7''' where trname = 'tr_check'")
    loan.trig("tr_check", "amount = '5' and checked is null", tgname="other")
    assert migrate(loan, wid).facts == {"unexplained": None}, "another rule of the transition explains it"
    loan.rows("update {f}.wed_trig set enabled = false where tgname = 'other'")
    with refused("WD210"):
        loan.rows("update {f}.wed_attr set repairable = false where aname = 'amount'")
        migrate(loan, wid, changes={"amount": "7"})
    loan.rows("update {f}.wed_attr set repairable = true where aname = 'amount'")
    done = migrate(loan, wid, changes={"amount": "7"})
    assert (done.facts["unexplained"], done.facts["reused"], loan.jobs(wid)) == (2, [], ["tr_check"])
    assert broken(loan) == []


def test_r15_refusals(loan: Kit) -> None:
    wid = ran(loan)
    with refused("WD535"):
        migrate(loan, wid, version=999)
    loan.rows("update {f}.wed_trig set class = 'pivot', cpred = 'rate = ''x''' where trname = 'tr_rate'")
    with refused("WD111"):
        migrate(loan, wid)
    assert len(loan.trace(wid)) == 3
    assert migrate(loan, wid, override=True).facts["unexplained"] == 3
    api.operations.suspend(wid, "x", conn=loan.conn)
    with refused("WD105"):
        migrate(loan, wid)
    assert broken(loan) == []


def test_r15_what_approves_the_migration_approves_its_replay(loan: Kit) -> None:
    wid = ran(loan)
    loan.rows("update {f}.wed_trig set cpred = 'rate = amount' where trname = 'tr_rate'")
    api.approvals.save_rules(loan.name, [ApprovalRule(1, "Everything")], "boss", conn=loan.conn)
    with refused("WD520"):
        migrate(loan, wid)
    proposal = api.approvals.propose(wid, "migrate", {}, "New rules.", actor="ann", conn=loan.conn)
    api.approvals.approve(proposal.number, "bob", [], conn=loan.conn)
    assert (loan.state(wid)["rate"], loan.trace(wid)[-1].trw) == (None, "_RECOVER:replay")
    assert broken(loan) == []


def test_r15_rules_for_migrations_are_about_the_end_although_compensations_wait(loan: Kit) -> None:
    wid = ran(loan)
    loan.rows("update {f}.wed_trig set cpred = 'rate = amount', compensation = 'transition',"
              " compensated_by = 'tr_unrate' where trname = 'tr_rate'")  # fmt: skip
    rule = ApprovalRule(1, "No rate", ("migrate",), condition="rate is null")
    api.approvals.save_rules(loan.name, [rule], "boss", conn=loan.conn)
    with refused("WD520"):
        migrate(loan, wid)
    seen = api.repairs.preview(wid, "migrate", conn=loan.conn)
    assert (seen.approvals.needed, seen.status_after) == (1, "X") and loan.status(wid) == "R"
    proposal = api.approvals.propose(wid, "migrate", {}, "New rules.", actor="ann", conn=loan.conn)
    assert api.approvals.approve(proposal.number, "bob", [], conn=loan.conn).state == "applied"
    assert loan.jobs(wid) == ["tr_unrate"] and broken(loan) == []
