"""Which rule decides about a case."""

from __future__ import annotations

import pytest

from flows import api
from flows.capabilities.cases.api import CaseRule
from flows.capabilities.cases.tests.kernel.test_k_case_people import desk, stuck
from flows.capabilities.recovery.policies import RecoveryPolicy
from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel
__all__ = ["desk"]


def test_the_rules_that_decide_about_an_open_case_are_named(desk: Kit) -> None:
    conn = desk.conn
    rules = [
        CaseRule("far", "place = 'far'"),
        CaseRule("cards", "amount < 0", due_after=3600),
        CaseRule("rest"),
    ]
    api.cases.save_rules(desk.name, rules, "ann", conn=conn)
    policies = [
        RecoveryPolicy("late", "retry", cause="ATTEMPTS"),
        RecoveryPolicy("near", "patch", {"changes": {"amount": 1}}, condition="place = 'near'"),
    ]
    api.repairs.save_policies(desk.name, policies, "ann", conn=conn)
    here, far, near = (stuck(desk, place) for place in ("here", "far", "near"))
    found = [api.repairs.deciding_rules(each.number, conn=conn) for each in (here, far, near)]
    assert found == [
        {"queue": 2, "policy": None},
        {"queue": 1, "policy": None},
        {"queue": 2, "policy": 2},
    ]
    assert (here.queue, far.queue) == ("cards", "far"), "as they were routed"
    for number, flows in ((here.number, ["other"]), (0, None)):
        with refused("WD515"):
            api.repairs.deciding_rules(number, flows, conn=conn)
    api.instances.cancel(here.wid, "A test.", actor="ann", conn=conn)
    with refused("WD515"):
        api.repairs.deciding_rules(here.number, conn=conn)
