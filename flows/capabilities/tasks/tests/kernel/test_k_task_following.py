"""What open tasks have of their rule and flow is decided for each column, and shown before publishing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from flows import api
from flows.api.operations import suspend
from flows.tests.kit import Kit, broken
from flows.tests.statuses import compensatable, exception, leased, operated, running, suspended

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

FOLLOWS, STAYS, WORK = "follows the trigger", "says what was fired", "says what became of the task"
COLUMNS = {
    "audience": FOLLOWS, "excluded": FOLLOWS, "due_at": FOLLOWS, "rank": FOLLOWS, "app": FOLLOWS,
    "job_id": STAYS, "wid": STAYS, "tgid": STAYS, "flow_id": STAYS, "arrived_at": STAYS,
    "size": STAYS,
    "state": WORK, "owner": WORK, "owned_at": WORK, "hidden_until": WORK, "given_by": WORK, "ended_at": WORK,
    "ended_by": WORK, "outcome": WORK, "seq": WORK,
}  # fmt: skip
WATCHED = {
    "due_at": FOLLOWS, "hours": FOLLOWS, "next_at": FOLLOWS, "role": FOLLOWS, "offered": FOLLOWS,
    "job_id": STAYS, "wid": STAYS, "flow_id": STAYS, "notified": STAYS, "notified_count": STAYS,
}  # fmt: skip
WORKER: dict[str, Any] = {"name": "x", "transition": "tr_x", "predicate": "a = '1'", "max_attempts": 1,
                          "priority": 1}  # fmt: skip
OLD = WORKER | {"performer": "person", "role": "Clerk", "deadline": "4 hours"}
CHANGES: dict[str, dict[str, Any]] = {
    "role": {"role": "Boss"}, "candidate": {"candidate": "b"}, "same_as": {"same_as": "tr_first"},
    "not_by": {"not_by": ["tr_first"]}, "deadline": {"deadline": "2 hours"}, "priority": {"priority": 5},
}  # fmt: skip
OFFERED = {"notified": "last_connected", "notified_count": 1}


def definition(trigger: dict[str, Any], **options: Any) -> dict[str, Any]:
    """Return a flow in which `tr_x` follows `tr_first`, where an instance starts with that."""
    first = {"transition": "tr_first", "predicate": "a = '0'", "performer": "person", "role": "Clerk"}
    final = {"predicate": "a = 'end'", "final": True}
    return {"attributes": [{"name": "a"}, {"name": "b"}], "triggers": [trigger, first, final], **options}


def row(kit: Kit, wid: int, table: str = "task") -> dict[str, Any]:
    """Return the row of the open task of an instance, or of what is watched of it."""
    found = kit.rows(f"select to_jsonb(t) as row from wedsql.{table} t where wid = %s order by job_id", [wid])
    (only,) = [each.row for each in found if not each.row.get("ended_at")]
    return dict(only)


def open_task(kit: Kit) -> int:
    """Return an instance with an open task, whose first one `ana` has performed."""
    wid = kit.start(a="0", b="bob")
    job = kit.pending(wid)[0].id
    api.tasks.take(job, "ana", ["r:Clerk"], conn=kit.conn)
    api.tasks.complete(job, "ana", {"a": "1"}, conn=kit.conn)
    return wid


def taken(kit: Kit) -> int:
    wid = open_task(kit)
    api.tasks.take(kit.pending(wid)[0].id, "eva", ["r:Clerk"], conn=kit.conn)
    return wid


def failed(kit: Kit) -> int:
    wid = taken(kit)
    api.tasks.fail(kit.pending(wid)[-1].id, "eva", "No.", conn=kit.conn)
    return wid


REACHED = {"R": open_task, "S": taken, "H of an exception": failed, "H of a suspension":
           operated(open_task, api.operations.suspend)}  # fmt: skip


def foreseen(kit: Kit, changed: dict[str, Any]) -> list[int]:
    """Return the instances of which the impact says that a pending job gets something of the rule."""
    found = api.trials.impact(kit.name, changed, conn=kit.conn)
    return [wid for rule in found.rules if rule.trigger == 0 for wid in rule.follows.sample]


@pytest.mark.parametrize(("table", "decided"), [("task", COLUMNS), ("task_watch", WATCHED)])
def test_each_column_is_decided(kit: Kit, table: str, decided: dict[str, str]) -> None:
    found = kit.rows(
        "select attname as name from pg_attribute"
        " where attrelid = ('wedsql.' || %s)::regclass and attnum > 0 and not attisdropped", [table]
    )  # fmt: skip
    assert {each.name for each in found} == {*decided}


def test_each_option_of_people_is_decided(kit: Kit) -> None:
    """An option that a task has of its rule when it begins is one that it follows, and is tried below."""
    copied = set(CHANGES) - {"priority"}
    source = kit.one("select prosrc from pg_proc where proname = '_audience'") + kit.one(
        "select prosrc from pg_proc where proname = '_task_deadline'"
    )
    followed = kit.one("select prosrc from pg_proc where proname = '_following_tasks'")
    names = kit.rows("select name from wedsql._options('trig')")
    assert copied - {"not_by"} == {each.name for each in names if f"p_trig.{each.name}" in source}
    assert copied == {each.name for each in names if f"p_new.{each.name}" in followed}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("reach", REACHED.values(), ids=[*REACHED])
def test_a_task_follows_its_rule(kit: Kit, reach: Callable[[Kit], int], change: str) -> None:
    kit.publish(definition(OLD))
    wid = reach(kit)
    before = row(kit, wid)
    changed = definition(OLD | CHANGES[change])
    assert foreseen(kit, changed) == [wid]
    kit.publish(changed)
    after = row(kit, wid)
    differs = {column for column in COLUMNS if before[column] != after[column]}
    assert differs == {
        {"deadline": "due_at", "priority": "rank", "not_by": "excluded"}.get(change, "audience")
    }
    expected = {"role": "r:Boss", "candidate": "p:bob", "same_as": "p:ana", "not_by": ["ana"], "priority": -5}
    assert change == "deadline" or expected[change] in after.values()
    if change == "deadline":
        assert kit.one("select %s::timestamptz - %s::timestamptz = '2 hours'",
                       [after["due_at"], after["arrived_at"]])  # fmt: skip
        assert row(kit, wid, "task_watch")["due_at"] == after["due_at"]
    assert broken(kit) == []


def test_what_people_decided_about_a_task_stays(kit: Kit) -> None:
    kit.publish(definition(OLD))
    wid = taken(kit)
    job = kit.pending(wid)[0].id
    later = kit.one("select wedsql.now() + '3 days'")
    api.tasks.extend_deadline(job, "max", later, force=True, conn=kit.conn)
    api.tasks.give(job, "eva", "ida", conn=kit.conn)
    changed = definition(OLD | {"role": "Boss", "deadline": "2 hours"})
    assert foreseen(kit, changed) == []
    before = row(kit, wid)
    kit.publish(changed)
    assert row(kit, wid) == before


@pytest.mark.parametrize("change", [{"role": "Boss"}, {"not_by": ["tr_first"]}, {"candidate": "b"}])
def test_what_was_offered_to_some_is_offered_anew(kit: Kit, change: dict[str, Any]) -> None:
    kit.publish(definition(OLD, **OFFERED))
    for person, keys in (("eva", ["r:Clerk"]), ("max", ["r:Boss"]), ("ana", ["r:Clerk"])):
        api.persons.seen(person, keys, conn=kit.conn)
        kit.clock(f"{len(person)} seconds")
    wid = open_task(kit)
    job = kit.pending(wid)[0].id
    assert row(kit, wid, "task_watch")["offered"] == ["ana"]
    kit.publish(definition(OLD | change, **OFFERED))
    who = {"role": "max", "not_by": "eva", "candidate": "bob"}[next(iter(change))]
    keys = api.persons.keys(who, conn=kit.conn)
    assert [each.job_id for each in api.tasks.open(who, [*keys], conn=kit.conn)] == [job]
    assert api.tasks.take(job, who, [], conn=kit.conn).owner == who
    assert broken(kit) == []


def test_a_task_that_becomes_one_of_a_role_is_offered_to_some(kit: Kit) -> None:
    rule = OLD | {"role": "Seller", "deadline": None}
    kit.publish(definition(rule | {"candidate": "b"}, **OFFERED))
    api.persons.seen("eva", ["r:Seller"], conn=kit.conn)
    wid = kit.start(a="1", b="bob")
    assert row(kit, wid)["audience"] == "p:bob"
    kit.publish(definition(rule, **OFFERED))
    assert row(kit, wid, "task_watch")["offered"] == ["eva"]


@pytest.mark.parametrize("reach", [running, exception, suspended, operated(exception, suspend), leased,
                                   operated(compensatable, suspend)])  # fmt: skip
def test_jobs_of_workers_become_tasks_and_again_jobs(kit: Kit, reach: Callable[[Kit], int]) -> None:
    kit.publish(definition(WORKER | {"compensation": "inverse"}))
    wid = reach(kit)
    mine = [wid] if "tr_x" in kit.jobs(wid) else []
    for changed in (definition(OLD | {"compensation": "inverse"}),
                    definition(WORKER | {"compensation": "inverse"})):  # fmt: skip
        assert foreseen(kit, changed) == mine
        before = kit.pending(wid)
        kit.publish(changed)
        assert [job.state for job in kit.pending(wid)] == [job.state for job in before]
        assert broken(kit) == []


@pytest.mark.parametrize("end", ["fail", "release", "expire", "release_job"])
def test_a_person_is_offered_what_a_worker_holds_when_that_ends(kit: Kit, end: str) -> None:
    kit.publish(definition(WORKER | {"max_attempts": 5}))
    wid = running(kit)
    job = kit.lease("tr_x")
    kit.publish(definition(OLD | {"max_attempts": 5}))
    assert row(kit, wid)["state"] == "H" and api.tasks.open("ana", ["r:Clerk"], conn=kit.conn) == []
    if end == "fail":
        api.jobs.fail(job, "No.", conn=kit.conn)
    elif end == "release":
        api.jobs.release(job, conn=kit.conn)
    elif end == "release_job":
        api.operations.release_job(wid, job.id, "Free it.", conn=kit.conn)
    else:
        kit.reap("2 days")
    assert row(kit, wid)["state"] == "R" and broken(kit) == []
    assert api.tasks.take(job.id, "ana", ["r:Clerk"], conn=kit.conn).owner == "ana"


def test_a_worker_that_holds_a_job_completes_it_although_people_perform_the_next(kit: Kit) -> None:
    kit.publish(definition(WORKER))
    wid = running(kit)
    job = kit.lease("tr_x")
    kit.publish(definition(OLD))
    assert kit.complete(job, {"a": "end"}).status == "F"
    assert kit.one("select state from wedsql.task where wid = %s", [wid]) == "D" and broken(kit) == []


@pytest.mark.parametrize("options", [{"responsible": "eva"}, {"warnings": ["1"]}, OFFERED])
def test_an_instance_keeps_the_options_of_its_start(kit: Kit, options: dict[str, Any]) -> None:
    kit.publish(definition(OLD))
    wid = open_task(kit)
    before = api.persons.settings(wid, conn=kit.conn)
    kit.publish(definition(OLD, **options))
    assert api.persons.settings(wid, conn=kit.conn) == before
    job = kit.pending(wid)[0].id
    api.tasks.take(job, "ana", ["r:Clerk"], conn=kit.conn)
    api.tasks.complete(job, "ana", {"a": "0"}, conn=kit.conn)
    assert api.persons.settings(wid, conn=kit.conn) == before
    assert row(kit, wid)["audience"] == "r:Clerk"
    assert kit.one("select count(*) from wedsql.message where wid = %s", [wid]) == 0
    chosen = api.persons.settings(kit.start(a="1"), conn=kit.conn)
    assert chosen is not None and before is not None
    name, given = next(iter(options.items()))
    assert getattr(chosen, name) == given != getattr(before, name)
