"""Which conditions hold on the living instances of a flow, and what its exceptions lack, all at once."""

from __future__ import annotations

import pytest

from flows import api
from flows.tests.kit import Kit

pytestmark = pytest.mark.kernel

VALUES = [(payment, n) for payment in ("open", "paid", "closed", "odd") for n in (None, 2, 7)]


@pytest.fixture
def shop(kit: Kit) -> Kit:
    kit.attr("payment", "open")
    kit.attr("n", None, "integer")
    kit.trig("tr_pay", "payment = 'open'")
    kit.trig("tr_ship", "payment = 'paid' and (n > 5 or n is null)")
    kit.final("payment = 'closed' and not n = 7")
    for payment, n in VALUES:
        kit.run("tr_pay", kit.start(n=n), payment=payment)
    return kit


def test_conditions_are_counted_on_living_instances(shop: Kit) -> None:
    found = api.reasons.count_holding(shop.name, conn=shop.conn)
    _version, definition = api.drafts.running_definition(shop.name, conn=shop.conn)
    ids = {one.get("transition"): one["id"] for one in definition["triggers"]}
    # 12 instances, of which one is final: closed with n = 2.
    assert found.examined == 11
    assert found.holds == {ids["tr_pay"]: 3, ids["tr_ship"]: 2}
    assert api.reasons.count_holding(shop.name, limit=4, conn=shop.conn).examined == 4
    assert api.reasons.count_holding(shop.name, seconds=-1, conn=shop.conn).examined == 0


def test_exceptions_are_grouped_by_what_the_nearest_rule_lacks(shop: Kit) -> None:
    lacks = api.reasons.explain_exceptions(shop.name, conn=shop.conn)
    grouped = {wid: lack for lack in lacks for wid in lack.wids}
    # Paid with 2, closed with null and 7, and three of the value for which there is no rule.
    assert len(grouped) == 6 and sum(len(lack.wids) for lack in lacks) == 6
    for wid, lack in grouped.items():
        nearest = api.reasons.explain_instance(wid, conn=shop.conn).nearest[0]
        assert lack.trigger == nearest.id
        assert [(o.text, o.wanted, o.outline) for o in lack.obstacles] == [
            (o.text, o.wanted, o.outline) for o in nearest.obstacles
        ]
    assert [len(lack.wids) for lack in lacks] == sorted((len(lack.wids) for lack in lacks), reverse=True)
    assert (
        sum(len(one.wids) for one in api.reasons.explain_exceptions(shop.name, limit=2, conn=shop.conn)) == 2
    )


def test_a_flow_without_exceptions_lacks_nothing(kit: Kit) -> None:
    kit.attr("a")
    kit.trig("tr_a", "a is null")
    kit.start()
    assert api.reasons.explain_exceptions(kit.name, conn=kit.conn) == []
