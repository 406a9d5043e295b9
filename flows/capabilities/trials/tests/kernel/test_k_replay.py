"""Finished instances replayed on another definition: the same path, or where it differs."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from flows import api
from flows.capabilities.trials.tests.kernel.test_k_scenarios import LOAN, running
from flows.tests.kit import Kit

pytestmark = pytest.mark.kernel


@pytest.fixture
def finished(kit: Kit) -> Kit:
    """A flow with an instance that was late and one that was repaired, both final, and one that runs."""
    kit.publish(LOAN)
    late = kit.start(amount=5)
    kit.reap("3 days")
    kit.run("tr_late", late, amount=6)
    kit.run("tr_ask", late, state="granted")
    kit.run("tr_pay", late, state="paid")
    repaired = kit.start(amount=50)
    kit.run("tr_ask", repaired, amount=0)
    kit.run("_EXCPT", repaired, amount=50, state="granted")
    kit.run("tr_pay", repaired, state="paid")
    assert [kit.status(wid) for wid in (late, repaired)] == ["F", "F"]
    kit.start(amount=7)
    return kit


def replayed(kit: Kit, definition: Any, **options: Any) -> list[Any]:
    return list(api.trials.replay(kit.name, definition, conn=kit.conn, **options))


def changed(kit: Kit, place: int, **options: Any) -> Any:
    definition = copy.deepcopy(running(kit))
    definition["triggers"][place] |= options
    return definition


def test_what_runs_goes_the_same_way(finished: Kit) -> None:
    found = replayed(finished, running(finished))
    assert [(one.steps, one.whole, one.deviation) for one in found] == [(4, True, None), (5, True, None)]
    assert len(replayed(finished, running(finished), last=1)) == 1
    assert replayed(finished, running(finished), seconds=-1) == []


def test_where_the_path_would_differ_is_said(finished: Kit) -> None:
    repaired, late = replayed(finished, changed(finished, 0, predicate="amount > 10 and state = 'new'"))
    assert repaired.deviation is None
    assert (late.deviation.step, late.deviation.sentence) == (0, "These rules should have fired: ask.")
    repaired, late = replayed(finished, changed(finished, 3, predicate="state = 'paid' and amount < 10"))
    assert (repaired.deviation.step, late.deviation) == (3, None)
    assert repaired.deviation.sentence == "The status is exception instead of final."


def test_other_names_and_another_order_are_the_same_path(finished: Kit) -> None:
    definition = copy.deepcopy(running(finished))
    definition["triggers"].reverse()
    definition["attributes"][0]["name"] = "sum_"
    for trigger in definition["triggers"]:
        trigger["predicate"] = trigger["predicate"].replace("amount", "sum_")
        trigger["name"] = f"n{trigger['id']}"
    assert [one.deviation for one in replayed(finished, definition)] == [None, None]


def test_a_removed_rule_and_a_removed_attribute(finished: Kit) -> None:
    definition = changed(finished, 0, predicate="state = 'new'")
    definition["triggers"][2]["predicate"] = "state = 'new'"
    del definition["attributes"][0]
    _repaired, late = replayed(finished, definition)
    assert late.deviation is None
    del definition["triggers"][2]
    _repaired, late = replayed(finished, definition)
    assert late.deviation.sentence == "The definition has no rule tr_late."


def test_nothing_is_stored_and_any_definition_is_tried(finished: Kit) -> None:
    count = "select count(*) from wedsql.wed_trace"
    before = finished.one(count)
    replayed(finished, LOAN)
    assert finished.one(count) == before
