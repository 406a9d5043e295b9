"""Moves in flows with rules for approvals: a hand-over is proposed, and no rule keeps an instance away."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.capabilities.approvals.api import ApprovalRule
from flows.capabilities.moves.tests.kernel.sites import Site, delivered
from flows.errors import NeedsApprovals

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]
Pair = tuple[Site, Site]


def asks(site: Site, *rules: ApprovalRule) -> None:
    api.approvals.save_rules("orders", list(rules), actor="ana", conn=site.conn)


def proposed(site: Site, wid: int, **given: Any) -> str:
    """Propose to hand an instance to the other installation, approve it; return the number of the move."""
    arguments = {"peer": "there", **given}
    made = api.approvals.propose(wid, "hand_over", arguments, "Holidays.", actor="ana", conn=site.conn)
    assert site.status(wid) == "R"
    done = api.approvals.approve(made.number, "bob", conn=site.conn)
    assert (done.state, site.status(wid)) == ("applied", "M"), done.failure
    return str(site.one("select id from wedsql.move where wid = %s", [wid]))


@pytest.mark.parametrize("rule", [ApprovalRule(1), ApprovalRule(1, operations=("hand_over",))])
def test_a_hand_over_that_a_rule_is_about_is_proposed(pair: Pair, rule: ApprovalRule) -> None:
    here, there = pair
    asks(here, rule)
    wid = here.start()
    with pytest.raises(NeedsApprovals):
        here.hand_over(wid, there)
    assert here.status(wid) == "R"
    move = proposed(here, wid, hours=2)
    made = here.move(move)
    assert made.actor == "ana" and (made.expires_at - made.begun_at).total_seconds() == 7200
    assert delivered(here, there, move).state == "arrived"


def test_a_rule_about_something_else_lets_it_go(pair: Pair) -> None:
    here, there = pair
    asks(here, ApprovalRule(1, operations=("cancel",)), ApprovalRule(2, condition="amount > 500"))
    small, large = here.start("1"), here.start("2", amount=900)
    here.hand_over(small, there)
    with pytest.raises(NeedsApprovals, match="two other persons"):
        here.hand_over(large, there)


def test_no_rule_keeps_an_instance_from_arriving_or_coming_back(pair: Pair) -> None:
    """The rules of either side would match; the instance is handed over and back with its approvals."""
    here, there = pair
    wid = here.start()
    asks(here, ApprovalRule(1))
    asks(there, ApprovalRule(1))
    arrived = delivered(here, there, proposed(here, wid))
    assert arrived.state == "arrived" and arrived.wid and there.status(arrived.wid) == "R"
    there.step("pick", arrived.wid, picked="yes")
    assert here.broken() == there.broken() == []


@pytest.mark.parametrize("how", ["taken back", "refused"])
def test_one_that_was_offered_comes_back(pair: Pair, how: str) -> None:
    here, there = pair
    asks(here, ApprovalRule(1))
    wid = here.start()
    move = proposed(here, wid)
    if how == "taken back":
        api.moves.take_back(move, "Not now.", actor="ana", conn=here.conn)
    else:
        there.knows(here, flows=("others",))
        answer = there.receive(here.message(move))
        assert answer is not None
        here.receive(answer)
    assert here.status(wid) == "R" and here.offered("pick") == [wid] and here.broken() == []


def test_a_preview_sends_nothing(pair: Pair) -> None:
    here, _there = pair
    asks(here, ApprovalRule(1))
    wid = here.start()
    seen = api.repairs.preview(wid, "hand_over", {"peer": "there"}, conn=here.conn)
    assert (seen.refusal, seen.approvals.needed, seen.status_after) == (None, 1, "M")
    assert here.status(wid) == "R" and not here.rows("select from wedsql.move")
    unknown = api.repairs.preview(wid, "hand_over", {"peer": "nowhere"}, conn=here.conn)
    assert unknown.refusal is not None and unknown.refusal.code == "WD620"
