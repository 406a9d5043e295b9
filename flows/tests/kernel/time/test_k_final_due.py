"""A final condition with a due time: the instance is final when the time has come (K-05, K-37)."""

from __future__ import annotations

from typing import Any

import pytest

from flows.tests.kernel.operation.test_k_rematch import broken
from flows.tests.kit import Kit

pytestmark = pytest.mark.kernel


@pytest.fixture
def resting(kit: Kit) -> Kit:
    """A flow whose instances are final an hour after a = '2'."""
    kit.attrs("a", "b")
    kit.trig("tr_x", "a = '1'")
    kit.rows("insert into {f}.wed_trig (cpred, cfinal, due_after) values ('a = ''2''', true, '1 hour')")
    return kit


def timers(kit: Kit, wid: int) -> Any:
    return kit.one("select count(*) from wedsql.timer where wid = %s", [wid])


def test_k37_a_final_condition_with_a_due_time_waits_for_it(resting: Kit) -> None:
    wid = resting.start(a="1")
    resting.run("tr_x", wid, a="2")
    assert (resting.status(wid), resting.jobs(wid), timers(resting, wid)) == ("R", [], 1)
    assert broken(resting) == []
    assert resting.reap("59 minutes")["timers"] == 0
    assert resting.reap("61 minutes")["timers"] == 1
    assert (resting.status(wid), timers(resting, wid)) == ("F", 0)


def test_k17_a_new_condition_fires_while_the_final_one_waits_for_its_time(resting: Kit) -> None:
    wid = resting.start(a="2", b="1")
    resting.trig("tr_y", "b = '1'")
    resting.trig("tr_z", "b = '1'")
    assert (resting.status(wid), resting.jobs(wid)) == ("R", ["tr_y", "tr_z"])
    assert broken(resting) == []
    resting.rows("delete from wedsql.job_pool where wid = %s and trname = 'tr_z'", [wid])
    assert broken(resting) == ["I2"]


def test_k37_a_final_condition_that_comes_to_hold_by_a_definition_waits_beside_other_work(
    resting: Kit,
) -> None:
    wid = resting.start(a="1", b="1")
    resting.rows("update {f}.wed_trig set cpred = 'b = ''1''' where cfinal")
    assert (resting.status(wid), resting.jobs(wid), timers(resting, wid)) == ("R", ["tr_x"], 1)
    resting.clock("30 minutes")
    resting.run("tr_x", wid, a="0")
    assert (resting.status(wid), resting.jobs(wid), timers(resting, wid)) == ("R", [], 1)
    assert resting.reap("61 minutes")["timers"] == 1
    assert resting.status(wid) == "F"


def test_k37_work_that_is_pending_when_the_final_time_comes_is_not_taken_away(resting: Kit) -> None:
    wid = resting.start(a="1", b="1")
    resting.rows("update {f}.wed_trig set cpred = 'b = ''1''' where cfinal")
    assert resting.reap("61 minutes")["timers"] == 1
    assert (resting.status(wid), resting.jobs(wid)) == ("R", ["tr_x"])
    resting.run("tr_x", wid, a="0")
    assert (resting.status(wid), timers(resting, wid)) == ("R", 1)
    assert resting.reap("122 minutes")["timers"] == 1
    assert resting.status(wid) == "F"


def test_k54_an_instance_that_was_final_in_time_is_not_reopened_for_its_own_condition(resting: Kit) -> None:
    wid = resting.start(a="2")
    assert resting.reap("61 minutes")["timers"] == 1
    assert resting.rows("select wedsql.rematch(%s, null, true)", [resting.name])[0][0]["reopened"] == 0
    assert resting.status(wid) == "F"


def test_k17_a_re_match_writes_nothing_for_a_final_condition_that_waits(kit: Kit) -> None:
    kit.attrs("a")
    kit.attr("due", None, "date")
    kit.trig("tr_x", "a = '1'")
    kit.rows("insert into {f}.wed_trig (cpred, cfinal, due_attr) values ('a <> ''0''', true, 'due')")
    past = kit.start(a="1", due="2999-01-01")
    kit.rows("update {f}.wed_trig set due_after = '-1000 years' where cfinal")
    waiting = [kit.start(a="1", due="3999-01-01"), kit.start(a="2", due="3999-01-01")]
    assert (timers(kit, past), kit.jobs(past)) == (0, ["tr_x"])
    before = [kit.story(wid) for wid in (past, *waiting)]
    assert kit.rows("select wedsql.rematch(%s)", [kit.name])[0][0]["changed"] == 0
    assert [kit.story(wid) for wid in (past, *waiting)] == before


def test_k17_work_withdrawn_after_the_final_time_came_is_not_fired_again(resting: Kit) -> None:
    wid = resting.start(a="2", b="1")
    for name in ("tr_y", "tr_z"):
        resting.trig(name, "b = '1'")
    resting.clock("61 minutes")
    resting.rows("select wedsql.withdraw(%s, %s)", [resting.name, resting.pending(wid)[0].tgid])
    assert (resting.status(wid), resting.jobs(wid), broken(resting)) == ("R", ["tr_z"], [])
