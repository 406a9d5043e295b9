"""What pending jobs have of their trigger is decided for each property, done, and shown before publishing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from flows import api
from flows.tests.kit import Kit, broken
from flows.tests.statuses import exception, leased, running, suspended

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

# Each column of a job, and what a change of its trigger does to it while the job is pending.
FOLLOWS, STAYS, WORK = "follows the trigger", "says what was fired", "says what became of the job"
COLUMNS = {
    "trname": FOLLOWS, "timeout": FOLLOWS, "priority": FOLLOWS, "lock": FOLLOWS,
    "id": STAYS, "wid": STAYS, "tgid": STAYS, "flow_id": STAYS, "payload": STAYS, "fired_at": STAYS,
    "fired_xid": STAYS, "cause_seq": STAYS, "version": STAYS,
    "lckid": WORK, "state": WORK, "claim": WORK, "lease_until": WORK, "attempts": WORK, "not_before": WORK,
    "last_error": WORK, "last_state": WORK, "late": WORK, "assigned_to": WORK, "assigned_by": WORK,
    "assigned_at": WORK, "earlier_attempts": WORK,
}  # fmt: skip
OLD: dict[str, Any] = {"name": "x", "transition": "tr_x", "predicate": "a = '1'", "max_attempts": 1,
                       "timeout": "1 minute", "priority": 1, "lock": "old {b}"}  # fmt: skip
NEW = OLD | {"transition": "tr_new", "timeout": "9 minutes", "priority": 5, "lock": "new {b}"}
VALUES = {"trname": "tr_new", "timeout": "00:09:00", "priority": "5", "lock": "{id}:new 7"}


def definition(trigger: dict[str, Any]) -> dict[str, Any]:
    final = {"predicate": "a = 'end'", "final": True}
    return {"attributes": [{"name": "a"}, {"name": "b"}], "triggers": [trigger, final]}


def job(kit: Kit, wid: int) -> dict[str, str | None]:
    return kit.one(
        "select (select jsonb_object_agg(key, value) from jsonb_each_text(to_jsonb(j)))"
        " from wedsql.job_pool j where wid = %s and tgid > 0",
        [wid],
    )


REACHED = {"P": running, "K": exception, "S": suspended, "L": leased}


@pytest.fixture
def shop(kit: Kit) -> Kit:
    kit.rows("set intervalstyle = 'postgres'")
    kit.publish(definition(OLD))
    return kit


def test_each_column_of_a_job_is_decided(kit: Kit) -> None:
    found = kit.rows(
        "select attname as name from pg_attribute"
        " where attrelid = 'wedsql.job_pool'::regclass and attnum > 0 and not attisdropped"
    )
    assert {row.name for row in found} == {*COLUMNS}


@pytest.mark.parametrize("reach", REACHED.values(), ids=[*REACHED])
def test_a_pending_job_follows_its_trigger(shop: Kit, reach: Callable[[Kit], int]) -> None:
    wid = reach(shop)
    before = job(shop, wid)
    (rule,) = [
        one for one in api.trials.impact(shop.name, definition(NEW), conn=shop.conn).rules if one.trigger == 0
    ]
    shop.publish(definition(NEW))
    after = job(shop, wid)
    for column, what in COLUMNS.items():
        held = column == "lock" and before["state"] == "L"
        if what == FOLLOWS and not held:
            assert after[column] == VALUES[column].replace("{id}", str(shop.id)), column
        else:
            assert after[column] == before[column], column
    assert (rule.follows.count, rule.follows.sample) == (1, [wid]), "the impact has foretold it"
    (rule,) = [
        one for one in api.trials.impact(shop.name, definition(OLD), conn=shop.conn).rules if one.trigger == 0
    ]
    assert rule.follows.count == 1
    assert broken(shop) == []


def test_what_a_person_gave_a_job_stays(shop: Kit) -> None:
    wid = running(shop)
    number = shop.pending(wid)[0].id
    api.operations.prioritize_job(wid, number, 3, "Urgent.", conn=shop.conn)
    api.operations.extend_job(wid, number, 60, "Slow.", conn=shop.conn)
    changed = OLD | {"timeout": "30 seconds", "priority": 5}
    (rule, *_) = api.trials.impact(shop.name, definition(changed), conn=shop.conn).rules
    shop.publish(definition(changed))
    assert (job(shop, wid)["timeout"], job(shop, wid)["priority"]) == ("00:02:00", "3")
    assert rule.follows.count == 0


@pytest.mark.parametrize(("timeout", "found"), [("9 minutes", "00:09:00"), ("1 second", "00:01:00"),
                                                (None, None)])  # fmt: skip
def test_a_worker_that_performs_a_job_gets_no_less_time(shop: Kit, timeout: str | None, found: str) -> None:
    wid = running(shop)
    worker = shop.connect()
    with worker.transaction():
        taken = shop.take("tr_x", wid, worker)
        shop.publish(definition(OLD | {"timeout": timeout, "lock": "new {b}"}))
        assert (job(shop, wid)["timeout"], job(shop, wid)["lock"]) == (found, f"{shop.id}:old 7")
        shop.complete(taken, {"a": "end"}, conn=worker)
    assert shop.status(wid) == "F"


def test_a_retry_has_the_longer_timeout_of_the_trigger(shop: Kit) -> None:
    wid = exception(shop)
    shop.rows("update wedsql.job_pool set timeout = '10 seconds' where wid = %s", [wid])
    api.operations.retry_job(wid, shop.pending(wid)[-1].id, "Again.", conn=shop.conn)
    assert job(shop, wid)["timeout"] == "00:01:00"


def test_a_renamed_attribute_leaves_the_lock_of_a_job(shop: Kit) -> None:
    wid = running(shop)
    renamed = definition(OLD | {"lock": "old {c}"})
    shop.publish(renamed | {"attributes": [{"name": "a"}, {"name": "c", "was": "b"}]})
    assert job(shop, wid)["lock"] == f"{shop.id}:old 7"


def test_a_compensation_is_no_job_of_the_trigger(kit: Kit) -> None:
    undone = OLD | {"compensation": "transition", "compensated_by": "tr_undo", "class": "compensatable"}
    kit.publish(definition(undone))
    wid = running(kit)
    kit.run("tr_x", wid, a="2")
    api.compensations.abort(wid, "No.", conn=kit.conn)
    before = job(kit, wid)
    kit.publish(definition(undone | {"timeout": "9 minutes", "priority": 5, "lock": "new {b}"}))
    assert job(kit, wid) == before
