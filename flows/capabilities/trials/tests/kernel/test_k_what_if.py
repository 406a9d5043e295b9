"""Any condition is counted over the living instances and over the history."""

from __future__ import annotations

from datetime import datetime

import pytest

from flows import api
from flows.tests.kit import Kit, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="a mode only makes the history")]


@pytest.fixture
def shop(kit: Kit) -> Kit:
    kit.attr("a", "1")
    kit.attr("n", None, "integer")
    kit.trig("tr_x", "a is distinct from '9'")
    kit.final("a = '9'")
    return kit


def test_living_instances_are_counted_with_since_when(shop: Kit) -> None:
    old, few, none = shop.start(n=7), shop.start(n=2), shop.start()
    shop.run("tr_x", old, n=1)
    shop.run("tr_x", old, n=8)
    shop.run("tr_x", old, n=9)
    shop.run("tr_x", few, a="9", n=100)
    found = api.trials.what_if(shop.name, "n > 5", conn=shop.conn)
    assert {name: found[name] for name in ("living", "examined", "true", "unknown", "fails")} == {
        "living": 2, "examined": 2, "true": 1, "unknown": 1, "fails": 0,
    }  # fmt: skip
    assert found["sample"] == [old]
    third = shop.one("select tstmp from {f}.wed_trace where wid = %s and seq = 3", [old])
    assert {wid: datetime.fromisoformat(at) for wid, at in found["since"].items()} == {str(old): third}
    assert "history" not in found
    assert none


def test_the_history_says_how_often_it_became_true(shop: Kit) -> None:
    wid, other = shop.start(n=7), shop.start(n=1)
    for n in (1, 8, 9, 2, 10):
        shop.run("tr_x", wid, n=n)
    shop.run("tr_x", other, a="9")
    past = api.trials.what_if(shop.name, "n > 5", history=True, conn=shop.conn)["history"]
    assert (past["instances"], past["examined"], past["steps"]) == (2, 2, 8)
    assert (past["ever_true"], past["became_true"]) == (1, 3)
    assert sum(past["by_month"].values()) == 3


def test_a_failing_condition_is_counted_and_a_wrong_one_refused(shop: Kit) -> None:
    shop.start(a="x")
    shop.start(a="5")
    found = api.trials.what_if(shop.name, "a::integer > 3", conn=shop.conn)
    assert (found["true"], found["fails"]) == (1, 1)
    with refused("WD005"):
        api.trials.what_if(shop.name, "b = 1", conn=shop.conn)
    assert api.trials.what_if(shop.name, "a = '1'", seconds=-1, conn=shop.conn)["examined"] == 0


def test_the_history_says_what_a_rule_would_have_done(shop: Kit) -> None:
    stuck, twice, calm = shop.start(n=1), shop.start(n=1), shop.start(n=1)
    shop.one("update {f}.wed_trig set cpred = 'n < 5' where trname = 'tr_x' returning 1")
    shop.run("tr_x", stuck, n=7)  # no condition holds
    for n in (3, 1):
        shop.run("tr_x", twice, n=n)
    between = shop.one("select clock_timestamp()")
    shop.run("tr_x", twice, n=3)
    found = api.trials.what_if(shop.name, "n in (3, 7)", history=True, conn=shop.conn)["history"]
    assert (found["exceptions"], found["exceptions_fewer"], found["exceptions_sample"]) == (1, 1, [stuck])
    assert (found["became_true"], found["fired_again"], found["fired_again_sample"]) == (3, 1, [twice])
    later = api.trials.what_if(shop.name, "n in (3, 7)", history=True, since=between, conn=shop.conn)[
        "history"
    ]
    assert (later["instances"], later["steps"], later["became_true"]) == (1, 1, 1)
    assert (later["fired_again"], later["exceptions"]) == (0, 0)
    assert (
        api.trials.what_if(shop.name, "n = 1", history=True, conn=shop.conn)["history"]["exceptions_fewer"]
        == 0
    )
    assert calm
