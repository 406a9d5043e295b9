"""Four eyes: who decides about a proposal. Other persons, those for whom they decide, and groups."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime, timedelta

import pytest

from flows import api
from flows.capabilities.approvals.api import ApprovalRule
from flows.capabilities.approvals.tests.kernel.test_k_four_eyes import approve, proposed, rules, shop, stuck
from flows.capabilities.cases.tests.kernel.test_k_case_people import open_case
from flows.tests.kit import Kit, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]
__all__ = ["shop"]


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
    given = api.approvals.delegate(shop.name, "Ann", "bob", until, actor="Ann", conn=conn)
    assert [one.from_person for one in api.approvals.list_delegations([shop.name], "bob", conn=conn)] == [
        "Ann"
    ]
    made = proposed(shop, stuck(shop))
    with refused("WD523"):
        approve(shop, made, "bob")
    assert api.approvals.to_approve([shop.name], "bob", conn=conn) == []
    assert api.approvals.to_approve([shop.name], "cleo", conn=conn) == [made.number]
    other = proposed(shop, stuck(shop), "eve", changes={"refund": 6000})
    assert approve(shop, other, "bob").votes[0].on_behalf == ["Ann"]
    with refused("WD523"):
        approve(shop, other, "ann")
    assert approve(shop, other, "cleo").state == "applied"
    third = proposed(shop, stuck(shop), "eve", changes={"refund": 6000})
    approve(shop, third, "ann")
    with refused("WD523"):
        approve(shop, third, "bob")
    api.approvals.end_delegation(given.id, "ann", conn=conn)
    assert approve(shop, third, "bob").state == approve(shop, made, "bob").state == "applied"


def test_a_delegation_counts_from_its_begin_to_its_end(shop: Kit) -> None:
    conn, now = shop.conn, datetime.now(UTC)
    begin, until = now + timedelta(days=1), now + timedelta(days=2)
    made = api.approvals.delegate(shop.name, "ann", "bob", until, begin=begin, conn=conn)
    assert api.approvals.list_delegations([shop.name], "bob", conn=conn) == []
    assert approve(shop, proposed(shop, stuck(shop)), "bob").state == "applied"
    shop.clock("36 hours")
    assert [one.id for one in api.approvals.list_delegations([shop.name], "bob", conn=conn)] == [made.id]
    with refused("WD523"):
        approve(shop, proposed(shop, stuck(shop)), "bob")
    shop.clock("49 hours")
    assert api.approvals.list_delegations([shop.name], conn=conn) == []
    for giver, taker, end in (("a", " A ", until + timedelta(days=9)), ("", "b", until + timedelta(days=9)),
                              ("a", "b", now), ("a", "b", now + timedelta(days=400))):  # fmt: skip
        with refused("WD521"):
            api.approvals.delegate(shop.name, giver, taker, end, conn=conn)
    with refused("WD521"):
        api.approvals.end_delegation(made.id, conn=conn)


def test_only_members_of_the_group_of_a_rule_decide(shop: Kit) -> None:
    rules(shop, ApprovalRule(1, attributes=("refund",), approvers="finance"), ApprovalRule(1))
    made = proposed(shop, stuck(shop))
    assert made.approvers == ["finance"]
    assert api.approvals.to_approve([shop.name], "bob", ["sales"], conn=shop.conn) == []
    for groups in ((), ("sales",)):
        with refused("WD524"):
            approve(shop, made, "bob", *groups)
        with refused("WD524"):
            api.approvals.reject(made.number, "bob", "No.", groups, conn=shop.conn)
    done = approve(shop, made, "bob", "sales", "finance")
    assert (done.state, done.votes[0].groups) == ("applied", ["finance"])


def test_persons_are_not_told_apart_by_what_is_not_seen(kit: Kit) -> None:
    unseen = [
        chr(each)
        for each in range(1, 0x110000)
        if not 0xD800 <= each < 0xE000 and unicodedata.category(chr(each)) in ("Cc", "Cf", "Zs", "Zl", "Zp")
    ]
    assert len(unseen) > 200
    differs = kit.rows(
        "select ascii(c) from unnest(%s::text[]) c"
        " where wedsql._compared_name(c || 'An' || c || 'n') <> 'ann'",
        [unseen],
    )
    assert [hex(each) for (each,) in differs] == []
    assert kit.one("select wedsql._compared_name('Zo\u00eb-1.x@y+z_')") == "zo\u00eb-1.x@y+z_"
