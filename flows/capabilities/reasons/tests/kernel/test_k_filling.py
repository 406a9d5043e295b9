"""Values that a form is filled with: the kernel's own evaluation says that the condition then holds."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.capabilities.reasons import form_values
from flows.capabilities.reasons.api import InstanceReasons
from flows.tests.kit import Kit

pytestmark = pytest.mark.kernel

ATTRIBUTES = {"payment", "other", "n", "ok", "gone"}
# Conditions that do not hold on the state, and the values that make them hold; None: they do not say.
CONDITIONS: dict[str, dict[str, Any] | None] = {
    "payment = 'paid'": {"payment": "paid"},
    "payment = 'paid' and n >= 5": {"payment": "paid", "n": "5"},
    "(payment = 'paid' or payment = 'free') and not ok is not true": {"payment": "paid", "ok": True},
    "payment in ('paid', 'free')": {"payment": "paid"},
    "n between 3 and 4": {"n": "3"},
    "n <= -7": {"n": "-7"},
    "ok": {"ok": True},
    "ok is true": {"ok": True},
    "not (payment is not null)": {"payment": None},
    "not payment <> 'paid'": {"payment": "paid"},
    "payment is not distinct from 'paid'": {"payment": "paid"},
    "n > 5": None,
    "payment = other": None,
    "payment like 'p%'": None,
    "length(payment) = 3": None,
    "payment = 'paid' and length(payment) = 3": None,
    "gone = 'x'": None,
    "payment = 'a' and payment = 'b'": None,
}


@pytest.fixture
def found(kit: Kit) -> InstanceReasons:
    """Reasons of an instance that meets none of the conditions."""
    kit.attr("payment", "open")
    kit.attr("other", "closed")
    kit.attr("gone", "")
    kit.attr("n", 0, "integer")
    kit.attr("ok", False, "boolean")
    for n, condition in enumerate(CONDITIONS):
        kit.trig(f"tr_{n}", condition)
    kit.trig("tr_first", "payment = 'open'")
    return api.reasons.explain_instance(kit.start(), conn=kit.conn)


def test_what_a_form_is_filled_with_makes_the_condition_hold(kit: Kit, found: InstanceReasons) -> None:
    definition = api.flows.definition(kit.name, conn=kit.conn)
    for n, (condition, expected) in enumerate(CONDITIONS.items()):
        rule = next(one for one in found.rules if one.transition == f"tr_{n}")
        assert rule.predicate == condition and not rule.holds
        values = form_values.rule(rule.obstacles, ATTRIBUTES - {"gone"})
        assert values == expected, condition
        if values is not None:
            assert (
                api.trials.explain(definition, condition, dict(found.state) | values, conn=kit.conn).value
                == "t"
            )


def test_a_rule_that_holds_fills_nothing(found: InstanceReasons) -> None:
    (rule,) = found.holding
    assert form_values.rule(rule.obstacles, ATTRIBUTES) is None
