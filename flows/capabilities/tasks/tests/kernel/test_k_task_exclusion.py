"""Tasks that exclude each other, or jobs of workers: of an exclusion group, and of a lock."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from flows import api
from flows.capabilities.tasks.tests.kernel.office import CLERK, listed, violations
from flows.errors import TaskNotHeld
from flows.tests.kit import Kit

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]


@pytest.fixture
def ward(kit: Kit) -> Kit:
    """Two examinations by people and one by a machine, of which one at a time is made of a patient."""
    kit.attrs("blood", "heart", "scan", "room")
    for name in ("blood", "heart"):
        kit.trig(f"tr_{name}", f"{name} is null", performer="person", role="Clerk", mutex="patient")
    kit.trig("tr_scan", "scan is null", mutex="patient")
    kit.final("blood is not null and heart is not null and scan is not null")
    return kit


def tasks(kit: Kit, wid: int | None = None) -> dict[str, int]:
    """Return the numbers of the open tasks by their transitions, of an instance or of the first one."""
    found = [one for one in listed(kit, "ana", CLERK) if wid is None or one.wid == wid]
    return {one.transition: one.job_id for one in reversed(found)}


def take(kit: Kit, task: int, person: str = "ana", conn: Any = None) -> None:
    api.tasks.take(task, person, CLERK, conn=conn or kit.conn)


def test_of_a_group_one_task_at_a_time_is_taken_in_either_order(ward: Kit) -> None:
    wid, other = ward.start(), ward.start()
    take(ward, tasks(ward, wid)["tr_heart"])  # the younger one first
    with pytest.raises(TaskNotHeld) as refused:
        take(ward, tasks(ward, wid)["tr_blood"], "bia")
    assert refused.value.where["owner"] == "ana" and refused.value.where["other"] == wid
    take(ward, tasks(ward, other)["tr_blood"], "bia")  # another instance
    heart = ward.one("select job_id from wedsql.task where owner = 'ana'")
    api.tasks.complete(heart, "ana", {"heart": "x"}, conn=ward.conn)
    take(ward, tasks(ward, wid)["tr_blood"], "bia")
    assert not violations(ward)


def test_a_task_that_is_held_holds_a_worker_back_and_the_other_way_round(ward: Kit) -> None:
    wid = ward.start()
    blood = tasks(ward)["tr_blood"]
    take(ward, blood)
    assert api.jobs.lease_many(ward.name, ["tr_scan"], 1, "w1", conn=ward.conn) == []
    api.tasks.release(blood, "ana", conn=ward.conn)
    (scan,) = api.jobs.lease_many(ward.name, ["tr_scan"], 1, "w1", conn=ward.conn)
    with pytest.raises(TaskNotHeld) as refused:
        take(ward, tasks(ward)["tr_heart"])
    assert refused.value.where["owner"] == "w1"
    api.jobs.release(scan, conn=ward.conn)
    take(ward, tasks(ward, wid)["tr_heart"])


def test_the_next_task_and_many_at_once_leave_out_what_is_excluded(ward: Kit) -> None:
    wids = [ward.start(), ward.start()]
    found = listed(ward, "ana", CLERK)
    values = {one.job_id: {one.transition.removeprefix("tr_"): "x"} for one in found}
    held = api.tasks.take_many(list(values), "ana", CLERK, conn=ward.conn)
    assert sorted(one.held.wid for one in held if one.held) == wids, "one of each instance"
    assert {type(one.error) for one in held if one.error} == {TaskNotHeld}
    assert api.tasks.take_first(list(values), "bia", CLERK, conn=ward.conn) is None
    done = {one.job_id: values.pop(one.job_id) for one in held if one.held}
    api.tasks.complete_many(done, "ana", conn=ward.conn)
    assert api.tasks.take_first(list(values), "bia", CLERK, conn=ward.conn) is not None
    ended = api.tasks.complete_many(values, "bia", keys=CLERK, conn=ward.conn)
    assert [one.error for one in ended if one.error] == []


def test_a_lock_is_had_by_one_task_of_all_instances(kit: Kit) -> None:
    kit.attrs("done", "room")
    kit.trig("tr_use", "done is null", performer="person", role="Clerk", lock="room {room}")
    kit.final("done is not null")
    first, second, third = (kit.start(room=room) for room in ("1", "1", "2"))
    take(kit, tasks(kit, first)["tr_use"])
    with pytest.raises(TaskNotHeld):
        take(kit, tasks(kit, second)["tr_use"], "bia")
    take(kit, tasks(kit, third)["tr_use"], "bia")
    (waiting,) = api.reasons.explain_instance(second, conn=kit.conn).jobs
    assert (waiting.waits_for, waiting.facts["instance"], waiting.facts["holder"]) == ("lock", first, "ana")
    api.tasks.complete(kit.one("select job_id from wedsql.task where owner = 'ana'"), "ana", {"done": "x"},
                       conn=kit.conn)  # fmt: skip
    take(kit, tasks(kit, second)["tr_use"])


def test_of_two_tasks_that_are_taken_at_the_same_moment_one_is_had(ward: Kit) -> None:
    for _ in range(5):
        wid = ward.start()
        both = tasks(ward, wid)
        answers: list[bool] = []
        start = threading.Barrier(2)

        def attempt(task: int, person: str, start: Any = start, answers: list[bool] = answers) -> None:
            conn = ward.connect()
            start.wait()
            try:
                take(ward, task, person, conn)
                answers.append(True)
            except TaskNotHeld:
                answers.append(False)

        threads = [
            threading.Thread(target=attempt, args=(both[f"tr_{name}"], name)) for name in ("blood", "heart")
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        held = ward.one("select count(*) from wedsql.task where wid = %s and owner is not null", [wid])
        assert held == sum(answers) <= 1
