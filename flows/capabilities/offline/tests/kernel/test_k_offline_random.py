"""Random rounds over devices, persons and an office: nothing that was saved is lost, or counts twice.

Each block has twenty-five rounds; `WEDSQL_SEEDS=80` runs 2,000 of them.
"""

from __future__ import annotations

from typing import Any

import pytest

from flows.capabilities.offline.tests.kernel.device import violations
from flows.capabilities.offline.tests.kernel.world import Gadget, Made, World
from flows.tests.kit import Kit, broken
from flows.tests.spread import seeds

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]
ROUNDS, ACTIONS = 25, 40
# Why a result with values that can be written is refused: its task was never locked on the device, is gone,
# or the form has no such outcome.
REFUSED = {"WD590", "WD593", "WD594", "WD595"}


@pytest.mark.parametrize("block", seeds(8, 2))
def test_each_saved_result_counts_once_or_is_kept_with_its_reason(cellar: Kit, block: int) -> None:
    total: dict[str, int] = {}
    for number in range(ROUNDS):
        world = World(cellar, block * ROUNDS + number)
        world.run(ACTIONS)
        check(world)
        for name, count in tally(world).items():
            total[name] = total.get(name, 0) + count
    print(f"block {block}: {total}")  # shown by -rP
    assert violations(cellar) == [] and broken(cellar) == []


def tally(world: World) -> dict[str, int]:
    """Return how many results there were, by what became of them, and how many connections were killed."""
    found = {"rounds": 1, "killed": world.counted["killed"], "answered": world.counted["answered"]}
    for device in world.devices:
        for one in device.outbox:
            state = kept(device, one).state
            found[state] = found.get(state, 0) + 1
    return found


def kept(device: Gadget, one: Made) -> Any:
    query = """
        select r.state, r.content, r.seq, r.job_id, r.wid, r.problem, r.decided_at, l.state as late,
          l.changes, l.id as late_id
        from wedsql.device_result r left join wedsql.late_result l on l.id = r.late_id
        where r.device_id = %s and r.number = %s"""
    (found,) = device.phone.kit.rows(query, [device.phone.id, one.number])
    return found


def check(world: World) -> None:
    """Fail where a saved result is lost or counts twice, a task is in two hands, or the order is not kept."""
    for device in world.devices:
        for one in device.outbox:
            check_result(world, device, one)
        check_order(world, device)
    kit = world.kit
    twice = "select job_id from wedsql.wed_trace where wid = any (%s) and job_id is not null"
    twice += " and left(trw, 1) <> '_' group by job_id having count(*) > 1"
    assert kit.rows(twice, [world.wids]) == [], world.seed
    hands = """
        select t.job_id from wedsql.task t left join wedsql.job_pool j on j.wid = t.wid and j.id = t.job_id
        where t.wid = any (%s) and t.owner is not null and t.ended_at is null
          and t.owner is distinct from j.lckid and j.state = 'L'"""
    assert kit.rows(hands, [world.wids]) == [], world.seed


def check_result(world: World, device: Gadget, one: Made) -> None:
    found, about = kept(device, one), (world.seed, device.phone.id, one.number)
    values = found.content.get("values") or {}
    assert found.state in "ALRX", (*about, found)
    if found.state == "X":
        assert one.content.get("discarded"), about
    elif found.state == "A" and found.content.get("reason"):
        log = "select count(*) from wedsql.job_log where job_id = %s and outcome in ('failed', 'task_failed')"
        assert world.kit.one(log, [found.job_id]) >= 1, about
    elif found.state == "A":
        check_step(world, found, values)
    elif found.state == "L":
        assert found.late_id and values.items() <= (found.changes or {}).items(), (*about, found)
        open_case = "select count(*) from wedsql.repair_case where wid = %s and closed_at is null"
        assert found.late != "conflict" or world.kit.one(open_case, [found.wid]) == 1, (*about, found)
    else:
        odd = found.content.get("reason") or "such outcome" in (found.content.get("outcome") or "")
        assert odd or (found.problem or {}).get("code") in REFUSED, (*about, found)


def check_step(world: World, found: Any, values: dict[str, Any]) -> None:
    """Fail where a result is not the step of its task, or overwrote what another step had written."""
    query = "select seq, job_id, state from wedsql.wed_trace where wid = %s and seq = any (%s)"
    asked = [found.content["seq"], found.seq - 1, found.seq]
    steps = {one.seq: one for one in world.kit.rows(query, [found.wid, asked])}
    given, before, made = (steps[seq].state for seq in asked)
    assert steps[found.seq].job_id == found.job_id and values.items() <= made.items(), (world.seed, found)
    for name, value in values.items():
        assert before.get(name) in (given.get(name), value), (world.seed, name, found)


def check_order(world: World, device: Gadget) -> None:
    """Fail where a result was decided on before an earlier one that was not skipped."""
    query = """
        select r.number from wedsql.device_result r join wedsql.device_result o
          on o.device_id = r.device_id and o.number < r.number and o.decided_at > r.decided_at
        where r.device_id = %s and not exists (select from wedsql.device_result s
          where s.device_id = r.device_id and s.content ? 'skipped')"""
    if not world.counted["skip"]:
        assert world.kit.rows(query, [device.phone.id]) == [], world.seed
