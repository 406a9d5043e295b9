"""The outcome FAILED of a worker's job whose attempts are used up, and what is set when a task is taken."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.tests.kit import Kit, broken, refused
from flows.tests.people import PERSON, pending, take

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]


@pytest.fixture
def shop(kit: Kit) -> Kit:
    kit.attrs("a", "b")
    options: dict[str, Any] = {"outcomes": ["FAILED: a = 'failed'"], "max_attempts": 1}
    kit.trig("tr_a", "a is null", **options)
    kit.trig("tr_b", "a = 'failed' and b is null")
    kit.final("b is not null")
    return kit


def test_a_failed_attempt_that_is_the_last_one_sets_what_failed_sets(shop: Kit) -> None:
    wid = shop.start()
    found = shop.fail("tr_a", wid, "It is torn.")
    assert found is not None and (found.attempts, found.parked) == (1, False)
    assert shop.story(wid)[1:] == [("tr_a", ["tr_b"], "R")] and "It is torn." in shop.trace(wid)[1].reason
    assert shop.run("tr_b", wid, b="x").status == "F" and broken(shop) == []


def test_so_does_a_lease_that_expires(shop: Kit) -> None:
    wid = shop.start()
    job = shop.lease("tr_a")
    shop.reap("1 hour")
    assert shop.jobs(wid) == ["tr_b"] and shop.state(wid)["a"] == "failed"
    with refused("WD205"):
        api.jobs.complete(job, {"a": "late"}, conn=shop.conn)
    assert broken(shop) == []


def test_where_it_cannot_be_written_the_job_is_parked(shop: Kit) -> None:
    shop.rows(
        "insert into {f}.wed_trig (tgname, cpred, integrity) values ('ok', $$a <> 'failed'$$, 'always')"
    )
    wid = shop.start()
    found = shop.fail("tr_a", wid, "It is torn.")
    assert found is not None and found.parked and shop.status(wid) == "E"
    assert shop.state(wid)["a"] is None and broken(shop) == []


def test_without_that_outcome_the_job_is_parked(kit: Kit) -> None:
    kit.attrs("a")
    kit.trig("tr_a", "a is null", max_attempts=1)
    wid = kit.start()
    found = kit.fail("tr_a", wid)
    assert found is not None and found.parked and kit.status(wid) == "E"


def test_taking_a_task_sets_what_its_rule_says_and_fires_what_follows(kit: Kit) -> None:
    kit.attrs("a", "begun")
    kit.trig("tr_a", "a is null", performer="person", role="Clerk", sets_when_taken="begun = 'yes'")
    kit.trig("tr_note", "begun = 'yes' and a is null")
    kit.final("a is not null and begun is null")
    wid = kit.start()
    task = pending(kit, "tr_a", wid)
    with refused("WD591"):
        api.tasks.take(task, PERSON, ["r:Boss"], conn=kit.conn)
    assert kit.state(wid)["begun"] is None, "who may not take it sets nothing"
    take(kit, task)
    assert kit.story(wid)[1:] == [("_TAKE", ["tr_note"], "R")] and kit.jobs(wid) == ["tr_a", "tr_note"]
    assert kit.trace(wid)[1].before == {"begun": None} and kit.trace(wid)[1].actor == PERSON
    assert broken(kit) == []


@pytest.mark.parametrize("text", ["none = 1", "begun = ", "begun = 'x'; drop table t"])
def test_what_is_set_at_taking_is_checked_when_it_is_written(kit: Kit, text: str) -> None:
    kit.attrs("a", "begun")
    with refused("WD002", "WD005", "WD006", "WD211") as why:
        kit.trig("tr_a", "a is null", performer="person", sets_when_taken=text)
    assert "sets_when_taken" in why.detail


def test_what_is_set_at_taking_follows_the_name_of_an_attribute(kit: Kit) -> None:
    kit.attrs("a", "begun")
    kit.trig("tr_a", "a is null", performer="person", sets_when_taken="begun = 'yes'")
    kit.rows("update {f}.wed_attr set aname = 'started' where aname = 'begun'")
    assert kit.one("select sets_when_taken from {f}.wed_trig") == "started = 'yes'"
