"""A rule for approvals becomes weaker only with the approvals that it asks for itself."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from flows import api
from flows.capabilities.approvals.api import RULES, ApprovalRule, Proposal
from flows.tests.kit import Kit, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

RULE = ApprovalRule(1, "Large", ("patch", "skip"), ("refund", "note"), "refund > 500", 10, "finance")
OTHER = ApprovalRule(1, "Cancelling", ("cancel",))
WEAKER = {
    "fewer approvals": replace(RULE, approvals=0),
    "fewer operations": replace(RULE, operations=("patch",)),
    "other operations": replace(RULE, operations=("patch", "accept")),
    "fewer attributes": replace(RULE, attributes=("refund",)),
    "a narrower condition": replace(RULE, condition="refund > 501"),
    "a condition that is wider": replace(RULE, condition="refund > 0"),
    "more instances": replace(RULE, bulk_above=11),
    "any approvers": replace(RULE, approvers=""),
    "other approvers": replace(RULE, approvers="legal"),
}
STRONGER = {
    "another title": replace(RULE, title="Very large"),
    "more approvals": replace(RULE, approvals=2),
    "more operations": replace(RULE, operations=("skip", "patch", "accept")),
    "any operation": replace(RULE, operations=()),
    "more attributes": replace(RULE, attributes=("refund", "note", "stage")),
    "any repair": replace(RULE, attributes=()),
    "the same condition": replace(RULE, condition=" refund  >\n500"),
    "no condition": replace(RULE, condition=""),
    "fewer instances": replace(RULE, bulk_above=9),
    "any number": replace(RULE, bulk_above=None),
}
# What limits a rule that has no limit there.
LIMITS = {
    "operations": replace(OTHER, operations=()),
    "attributes": replace(OTHER, attributes=("note",)),
    "condition": replace(OTHER, condition="refund > 1"),
    "bulk_above": replace(OTHER, bulk_above=5),
}


@pytest.fixture
def shop(kit: Kit) -> Kit:
    kit.attr("stage", "new")
    kit.attr("refund", 0, "integer")
    kit.attr("note")
    kit.trig("tr_pay", "stage = 'new'")
    kit.final("stage = 'done'")
    save(kit, RULE, OTHER)
    return kit


def save(kit: Kit, *rules: ApprovalRule, actor: str = "dora") -> None:
    api.approvals.save_rules(kit.name, rules, actor, conn=kit.conn)


def propose(kit: Kit, *rules: ApprovalRule, actor: str = "dora", hours: int = 72) -> Proposal:
    return api.approvals.propose_rules(kit.name, rules, "Why.", actor=actor, hours=hours, conn=kit.conn)


def titles(kit: Kit) -> list[tuple[str, int]]:
    return [(one.title, one.approvals) for one in api.approvals.list_rules(kit.name, conn=kit.conn)]


@pytest.mark.parametrize("name", STRONGER)
def test_what_makes_a_rule_stronger_takes_effect_at_once(shop: Kit, name: str) -> None:
    save(shop, OTHER, STRONGER[name], ApprovalRule(1, "New"))  # the order of rules decides nothing
    assert [one for one, _n in titles(shop)] == ["Cancelling", STRONGER[name].title, "New"]
    with refused("WD521"):
        propose(shop, OTHER, STRONGER[name], ApprovalRule(1, "New"))


@pytest.mark.parametrize("name", WEAKER)
def test_what_makes_a_rule_weaker_is_refused_and_approved_by_another_person(shop: Kit, name: str) -> None:
    for rules in ([WEAKER[name], OTHER], [OTHER, WEAKER[name], ApprovalRule(2, "More", ("accept",))]):
        with refused("WD520") as why:
            save(shop, *rules)
        assert (why.facts["needed"], why.facts["title"], why.facts["groups"]) == (1, "Large", ["finance"])
    assert titles(shop) == [("Large", 1), ("Cancelling", 1)]
    made = propose(shop, WEAKER[name], OTHER)
    assert (made.operation, made.wid, made.needed, made.approvers) == (RULES, None, 1, ["finance"])
    assert titles(shop) == [("Large", 1), ("Cancelling", 1)], "nothing is changed by a proposal"
    with refused("WD523"):
        api.approvals.approve(made.number, "Dora ", ["finance"], conn=shop.conn)
    with refused("WD524"):
        api.approvals.approve(made.number, "eve", ["legal"], conn=shop.conn)
    assert api.approvals.approve(made.number, "bob", ["finance"], conn=shop.conn).state == "applied"
    assert titles(shop) == [("Large", WEAKER[name].approvals), ("Cancelling", 1)]


@pytest.mark.parametrize("part", LIMITS)
def test_a_limit_where_a_rule_had_none_makes_it_weaker(shop: Kit, part: str) -> None:
    old = replace(OTHER, operations=()) if part == "operations" else OTHER
    new = OTHER if part == "operations" else LIMITS[part]
    save(shop, RULE, old)
    with refused("WD520"):
        save(shop, RULE, new)


def test_every_part_of_a_rule_is_compared() -> None:
    parts = {name for each in WEAKER.values() for name in vars(RULE)
             if getattr(each, name) != getattr(RULE, name)}  # fmt: skip
    assert parts == set(vars(RULE)) - {"title"}, "a new part of a rule can make it weaker, too"


def test_only_the_functions_of_this_control_write_rules(shop: Kit) -> None:
    """A new door to the rules goes through the comparison of the old and the new ones."""
    found = shop.rows("select proname, prosrc from pg_proc where pronamespace = 'wedsql'::regnamespace")
    writes = r"(insert into|update|delete from|truncate|merge into)\s+(only\s+)?wedsql\.approval_rule\b"
    assert [name for name, text in found if re.search(writes, text)] == ["_write_approval_rules"]
    callers = [name for name, text in found if "_write_approval_rules(" in text]
    assert sorted(callers) == ["_replace_rules", "propose_approval_rules"]
    for role in ("wed_web", "wed_worker", "wed_reaper", "wed_monitor"):
        with refused("42501"), shop.conn.transaction():
            shop.rows(f"set local role {role}")
            shop.rows("delete from wedsql.approval_rule")


def test_all_rules_that_become_weaker_say_who_approves(shop: Kit) -> None:
    save(shop, RULE, replace(OTHER, approvals=2, approvers="legal"))
    made = propose(shop)
    assert (made.needed, made.title, made.approvers) == (2, "Cancelling", ["finance", "legal"])
    both = ["finance", "legal"]
    assert api.approvals.approve(made.number, "bob", both, conn=shop.conn).state == "approved"
    with refused("WD523"):
        api.approvals.approve(made.number, "BOB", both, conn=shop.conn)
    assert api.approvals.approve(made.number, "eve", both, conn=shop.conn).state == "applied"
    assert titles(shop) == []
    change = api.controls.list_changes(conn=shop.conn)[0]
    assert (change.control, change.actor, change.after) == ("approval_rule", "dora", None)


def test_rules_that_need_no_approvals_are_removed_at_once(shop: Kit) -> None:
    save(shop, RULE, OTHER, ApprovalRule(0, "None", approvers="legal"))
    save(shop, RULE, OTHER)
    assert titles(shop) == [("Large", 1), ("Cancelling", 1)]


def test_rules_that_changed_meanwhile_are_not_replaced(shop: Kit) -> None:
    made = propose(shop, OTHER)
    save(shop, RULE, OTHER, ApprovalRule(1, "New"))
    found = api.approvals.approve(made.number, "bob", ["finance"], conn=shop.conn)
    assert found.state == "failed" and found.failure is not None and found.failure.code == "WD521"
    assert titles(shop) == [("Large", 1), ("Cancelling", 1), ("New", 1)]


def test_one_change_waits_until_it_is_decided_withdrawn_or_over(shop: Kit) -> None:
    made = propose(shop, OTHER, hours=1)
    with refused("WD521"):
        propose(shop, RULE)
    with refused("WD009"):
        api.approvals.propose_rules(shop.name, [], " ", conn=shop.conn)
    assert api.approvals.withdraw(made.number, "dora", conn=shop.conn).state == "withdrawn"
    made = propose(shop, OTHER)
    assert api.approvals.reject(made.number, "bob", "No.", ["finance"], conn=shop.conn).state == "rejected"
    late = propose(shop, OTHER, hours=1)
    shop.clock("2 hours")
    assert api.approvals.read(late.number, conn=shop.conn).state == "expired"
    assert propose(shop, OTHER).state == "proposed"
    assert api.approvals.read(late.number, conn=shop.conn).closed_at is not None
    assert titles(shop) == [("Large", 1), ("Cancelling", 1)]


TOO_MUCH = [("WD009", " ", 72), ("WD521", "x" * 1001, 72), ("WD521", "Why.", 0), ("WD521", "Why.", 721)]


@pytest.mark.parametrize(("code", "reason", "hours"), TOO_MUCH)
def test_what_is_proposed_is_checked_like_a_repair(shop: Kit, code: str, reason: str, hours: int) -> None:
    with refused(code):
        api.approvals.propose_rules(shop.name, [], reason, hours=hours, conn=shop.conn)
    wid = lost(shop)
    with refused(code):
        api.approvals.propose(wid, "cancel", {}, reason, hours=hours, conn=shop.conn)


def lost(kit: Kit) -> int:
    """Start an instance and let it become an exception."""
    wid = kit.start()
    kit.run("tr_pay", wid, stage="lost")
    return wid


def test_an_administrator_approves_no_repair_alone(shop: Kit) -> None:
    save(shop, RULE, OTHER, ApprovalRule(1, "Notes", ("patch",), ("note",)))
    repair = api.approvals.propose(lost(shop), "patch", {"changes": {"note": "x"}}, "Why.", conn=shop.conn)
    with refused("WD521"):
        api.approvals.approve_as_administrator(repair.number, "dora", "Finance was closed.", conn=shop.conn)
    assert api.approvals.read(repair.number, conn=shop.conn).state == "proposed"


def test_an_administrator_approves_where_nobody_else_may_and_it_is_recorded(shop: Kit) -> None:
    made = propose(shop, OTHER)
    with refused("WD009"):
        api.approvals.approve_as_administrator(made.number, "dora", " ", conn=shop.conn)
    found = api.approvals.approve_as_administrator(made.number, "dora", "Finance was closed.", conn=shop.conn)
    assert (found.state, [(one.voter, one.administrator) for one in found.votes]) == (
        "applied", [("dora", True)])  # fmt: skip
    assert titles(shop) == [("Cancelling", 1)]


def test_a_publication_makes_no_rule_weaker(shop: Kit) -> None:
    save(shop, RULE, OTHER, ApprovalRule(2, "Notes", ("patch",), ("note",)))
    wid = lost(shop)
    assert shop.status(wid) == "E"
    asked = (wid, "patch", {"changes": {"stage": "new"}})
    assert api.repairs.preview(*asked, conn=shop.conn).approvals.needed == 0, "the note is not written"
    shop.rows("delete from {f}.wed_attr where aname = 'note'")
    assert api.repairs.preview(*asked, conn=shop.conn).approvals.needed == 2
    with refused("WD520"):
        save(shop, OTHER)
