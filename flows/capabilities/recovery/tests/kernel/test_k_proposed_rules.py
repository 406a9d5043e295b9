"""Proposed rules: a condition that the states of alike cases have in common, and what repaired them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from flows import api
from flows.capabilities.recovery.proposed_rules import ProposedRule
from flows.capabilities.recovery.tests.kernel.test_k_suggestions import repaired, shop, stuck
from flows.tests.kit import Kit, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

__all__ = ["shop"]


def finish(kit: Kit, times: int, **changes: Any) -> None:
    """Repair so many cases, whose instances become final then."""
    for _each in range(times):
        kit.run("tr_ship", repaired(kit, payment="paid", **changes), payment="sent")


def number_of(kit: Kit, wid: int) -> int:
    api.cases.sign(conn=kit.conn)
    return api.cases.list([kit.name], {"wid": wid}, conn=kit.conn)[0].number


def proposed(kit: Kit, wid: int) -> ProposedRule | None:
    return api.repairs.proposed_rule(number_of(kit, wid), [kit.name], conn=kit.conn)


def test_the_rule_has_what_the_states_have_in_common_and_what_repaired_them(shop: Kit) -> None:
    finish(shop, 2)
    number = number_of(shop, stuck(shop))
    rule = api.repairs.proposed_rule(number, conn=shop.conn)
    assert rule is not None and rule.condition == "payment = 'declined'"
    assert (rule.attributes, rule.values) == (["payment"], {"payment": "paid"})
    assert (rule.repaired, rule.final, rule.open, rule.past, rule.prevents) == (2, 2, 1, 2, 3)
    assert (rule.number, rule.flow, rule.is_thin) == (number, shop.name, True)
    later = datetime.now(UTC) + timedelta(days=1)
    assert api.repairs.proposed_rule(number, since=later, conn=shop.conn) == rule_with(rule, prevents=0)
    counted = api.trials.what_if(shop.name, rule.condition, history=True, conn=shop.conn)
    assert counted["true"] == 1 and counted["history"]["exceptions_fewer"] == 3


def rule_with(rule: ProposedRule, **others: Any) -> ProposedRule:
    return ProposedRule(**{name: getattr(rule, name) for name in ProposedRule.__dataclass_fields__} | others)


def test_there_is_no_rule_without_a_repair_that_led_to_the_end(shop: Kit) -> None:
    assert proposed(shop, stuck(shop)) is None, "nothing repaired such a case"
    repaired(shop, payment="paid")
    wid = stuck(shop)
    assert proposed(shop, wid) is None, "the repaired instance is not final"
    for name, flows in ((10**9, None), (number_of(shop, wid), ["other"])):
        with refused("WD515"):
            api.repairs.proposed_rule(name, flows, conn=shop.conn)


def test_values_of_all_types_that_are_the_same_in_all_states(kit: Kit) -> None:
    kit.attrs("position", "who", "note")
    kit.attr("amount", 0, "integer")
    kit.attr("flag", None, "boolean")
    kit.attr("day", None, "date")
    kit.trig("tr_pay", "amount = 0")
    kit.trig("tr_a", "position = 'go' and amount > 100 and flag and day = '2030-01-31'")
    kit.trig("tr_b", "who in ('ana', 'bo') and amount < 5 and note is null")
    kit.final("position = 'end'")
    for n in range(3):
        wid = kit.start()
        lost = {"position": "lost", "who": "zoe's", "flag": False, "day": "2026-11-02", "note": f"n{n}"}
        kit.run("tr_pay", wid, amount=10 + n, **lost)
        if n < 2:
            api.repairs.repair(wid, "patch", {"changes": {"position": "end"}}, "x", conn=kit.conn)
    rule = proposed(kit, wid)
    assert rule is not None and rule.values == {"position": "end"} and (rule.open, rule.past) == (1, 2)
    assert rule.condition == (
        "not (amount = 0) and position = 'lost' and not (amount > 100) and flag = false"
        " and day = '2026-11-02' and who = 'zoe''s' and not (amount < 5) and note is not null"
    )


def test_a_draft_gets_the_rule_once_and_is_not_published(shop: Kit) -> None:
    finish(shop, 2)
    wid = stuck(shop)
    number = number_of(shop, wid)
    version = api.drafts.running_definition(shop.name, conn=shop.conn)[0]
    draft = api.repairs.draft_proposed_rule(number, actor="dora", conn=shop.conn)
    assert draft is not None and draft.changed_by == "dora"
    added = draft.definition["triggers"][-1]
    assert (added["transition"], added["predicate"], added["writes"]) == (
        "tr_set_payment", "payment = 'declined'", ["payment"])  # fmt: skip
    assert "payment := paid" in added["description"]
    again = api.repairs.draft_proposed_rule(number, actor="dora", conn=shop.conn)
    assert again is not None and again.definition == draft.definition and again.revision == draft.revision
    assert api.drafts.running_definition(shop.name, conn=shop.conn)[0] == version, "nothing is published"
    shop.publish(draft.definition)
    assert shop.jobs(wid) == ["tr_set_payment"] and shop.status(wid) == "R"
