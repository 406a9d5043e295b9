"""The next task: the first one that a person gets, however many come before it."""

from __future__ import annotations

from typing import Any

import pytest

from flows import api
from flows.capabilities.tasks.tests.kernel.office import CLERK, listed, violations
from flows.tests.kit import Kit

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

ORDERS = ("arrival", "priority", "deadline")
# Tasks like one that there is, of another flow, before it in each order.
OTHERS = """
    insert into wedsql.task (job_id, wid, tgid, flow_id, state, audience, excluded, rank, arrived_at, due_at)
    select -n, t.wid, t.tgid, f.id, t.state, t.audience, t.excluded, t.rank - 1,
      t.arrived_at - interval '1 day', t.arrived_at - interval '1 day'
    from wedsql.task t cross join generate_series(1, %s) n
    join wedsql.flow f on f.name = {n} || '_o' where t.job_id = %s"""


def got(kit: Kit, person: str, keys: list[str], order: Any = "arrival", flows: Any = None) -> int | None:
    """Take the next task, of which the list is read in pages of ten."""

    def offered(after: int | None) -> list[int]:
        return [
            each.job_id for each in listed(kit, person, keys, order=order, after=after, limit=10, flow=flows)
        ]

    held = api.tasks.take_next(offered, person, keys, conn=kit.conn)
    return held.job_id if held else None


def buffers(kit: Kit, order: str) -> int:
    """Return how many blocks the search for the next task of the flow reads.

    Statistics that change, here or by autovacuum, let the session make its plans again, which reads the
    catalogue: the least of three counts.
    """
    search = "select * from wedsql.open_tasks('ana', %s, %s, null, 2, %s)"
    plans = [
        kit.one(f"explain (analyze, buffers, format json) {search}", [CLERK, order, [kit.name]])[0]["Plan"]
        for _number in range(3)
    ]
    return min(int(plan["Shared Hit Blocks"]) + int(plan["Shared Read Blocks"]) for plan in plans)


@pytest.mark.parametrize("order", ORDERS)
def test_the_first_task_of_the_flow_is_found_behind_those_of_others(office: Kit, order: str) -> None:
    wids = [office.start(), office.start()]
    first, second = [each.job_id for each in listed(office, "ana", CLERK)]
    with office.conn.transaction(force_rollback=True):
        api.flows.create(f"{office.name}_o", conn=office.conn)
        office.rows(OTHERS, [30, first])
        office.rows("analyze wedsql.task")  # the session may have plans of another test, for an empty table
        few = buffers(office, order)
        office.rows(OTHERS.replace("-n", "-n - 100"), [5000, first])
        office.rows("analyze wedsql.task")
        assert buffers(office, order) <= few + 10, "the cost does not grow with the tasks of others"
        assert got(office, "ana", CLERK, order=order, flows=[office.name]) == first
        assert got(office, "ana", CLERK, order=order, flows=[office.name]) == second
        assert got(office, "ana", CLERK, order=order, flows=[office.name]) is None
        assert got(office, "ana", CLERK, order=order, flows=[]) is None
    assert len(wids) == 2 and violations(office) == []


def test_tasks_that_the_person_may_not_have_are_passed_over(office: Kit) -> None:
    for _number in range(25):
        office.start()
    for each in listed(office, "ana", CLERK):
        api.tasks.take(each.job_id, "ana", CLERK, conn=office.conn)
        api.tasks.complete(each.job_id, "ana", {"checked": "yes"}, conn=office.conn)
    last = office.start()
    task = listed(office, "bob", CLERK)[0].job_id
    api.tasks.take(task, "bob", CLERK, conn=office.conn)
    api.tasks.complete(task, "bob", {"checked": "yes"}, conn=office.conn)
    found = got(office, "ana", ["r:Boss"])
    assert [each.wid for each in api.tasks.own("ana", conn=office.conn)] == [last]
    assert found is not None and got(office, "ana", ["r:Boss"]) is None


def test_tasks_whose_condition_ceased_to_hold_are_withdrawn_on_the_way(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.trig("tr_a", "a is null and b is null", performer="person", role="Clerk", revalidate="at_take")
    kit.trig("tr_b", "b is null")
    kit.trig("tr_c", "b = 'x' and a is null")
    wids = [kit.start() for _number in range(22)]
    for wid in wids[:-1]:
        kit.run("tr_b", wid, b="x")
    assert got(kit, "ana", CLERK) is not None
    assert [each.wid for each in api.tasks.own("ana", conn=kit.conn)] == [wids[-1]]
    assert listed(kit, "ana", CLERK) == [] and violations(kit) == []
