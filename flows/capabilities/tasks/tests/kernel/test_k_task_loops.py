"""Instances in which the same tasks are performed again and again cost what is open, not what was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from flows import api
from flows.capabilities.tasks.tests.kernel.office import BOSS, CLERK, listed, violations
from flows.tests.kit import Kit

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]
LOOPS = 80
PERSONS = ["ana", "bia", "caio"]
READ = """
select case when relname like 'wed_trace%' then 'history' else 'tasks' end as what,
  sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer
from pg_stat_xact_user_tables where relname like 'wed_trace%' or relname = 'task' group by 1
"""


@pytest.fixture
def loop(kit: Kit) -> Kit:
    """A clerk writes, a boss who has not written decides, the last writer corrects."""
    kit.attrs("written", "decided", "corrected")
    kit.trig("tr_write", "written is null", performer="person", role="Clerk", writes=["written"])
    kit.trig(
        "tr_decide",
        "written is not null and decided is null",
        performer="person",
        role="Boss",
        not_by=["tr_write"],
        writes=["decided"],
    )
    kit.trig(
        "tr_correct",
        "decided is not null and corrected is null",
        performer="person",
        role="Clerk",
        same_as="tr_write",
        outcomes=["Again: written = null, decided = null", "End: corrected = 'yes'"],
    )
    kit.final("corrected is not null")
    return kit


def perform(kit: Kit, person: str, keys: list[str], data: dict[str, str], outcome: str | None = None) -> None:
    (task,) = listed(kit, person, keys)
    api.tasks.take(task.job_id, person, keys, conn=kit.conn)
    api.tasks.complete(task.job_id, person, data, outcome, conn=kit.conn)


def around(kit: Kit, times: int) -> None:
    for number in range(times):
        writer = PERSONS[number % 2]
        perform(kit, writer, CLERK, {"written": "x"})
        perform(kit, "boss", BOSS, {"decided": "x"})
        perform(kit, writer, CLERK, {}, "Again")


def rows_read(kit: Kit, work: Callable[[], Any]) -> dict[str, int]:
    """Return how many rows of tasks and of the history some work reads."""
    with kit.conn.transaction():  # figures of earlier transactions may not have been reported yet
        before = dict(kit.conn.execute(READ).fetchall())
        work()
        after = dict(kit.conn.execute(READ).fetchall())
    return {what: read - before.get(what, 0) for what, read in after.items()}


def test_a_task_that_was_performed_hundreds_of_times_costs_what_it_did_at_first(loop: Kit) -> None:
    wid = loop.start()
    around(loop, 20)  # from here on, what is known of the performers is kept
    loop.rows("analyze wedsql.task, wedsql.wed_trace, wedsql.job_pool")
    few = rows_read(loop, lambda: around(loop, 1))
    around(loop, LOOPS)
    many = rows_read(loop, lambda: around(loop, 1))
    assert many["tasks"] <= few["tasks"] + 6
    assert many["history"] <= few["history"] + 3 * 60 + 6, "at most the steps since they were read last"
    assert not violations(loop)
    first = rows_read(loop, lambda: api.tasks.of_instance(wid, limit=10, conn=loop.conn))
    assert first["tasks"] <= 20


def test_who_performed_it_is_each_person_once_however_often(loop: Kit) -> None:
    loop.start()
    around(loop, LOOPS // 2)
    perform(loop, "caio", CLERK, {"written": "x"})
    found = loop.one("select excluded from wedsql.task where ended_at is null")
    assert found[0] == "caio" and sorted(found) == PERSONS
    perform(loop, "boss", BOSS, {"decided": "x"})
    assert loop.one("select audience from wedsql.task where ended_at is null") == "p:caio"
    assert loop.rows("select transitions from wedsql.task_performers") == [(["tr_write"],)], "one for both"


def test_a_step_that_is_undone_counts_no_longer_in_a_long_history(loop: Kit) -> None:
    wid = loop.start()
    around(loop, LOOPS // 3)
    seq = loop.one("select seq from wedsql.instance where wid = %s", [wid])
    perform(loop, "caio", CLERK, {"written": "x"})
    perform(loop, "boss", BOSS, {"decided": "x"})
    api.repairs.repair(wid, "rollback", {"seq": seq}, "As it should be.", actor="olga", conn=loop.conn)
    perform(loop, "bia", CLERK, {"written": "y"})
    found = loop.one("select excluded from wedsql.task where ended_at is null")
    assert found == ["bia", "ana"]
