"""What taking and completing a task calls: nothing that is planned again each time."""

from __future__ import annotations

import pytest

from flows import api
from flows.capabilities.tasks.tests.kernel.office import CLERK
from flows.tests.kit import Kit

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]
# Functions in SQL that read or write tables: their statements are planned at each call, which costs more than
# most of them do.
PLANNED = """
select p.proname from pg_stat_xact_user_functions s join pg_proc p on p.oid = s.funcid
join pg_language l on l.oid = p.prolang
where l.lanname = 'sql' and p.provolatile <> 'i' and s.schemaname = 'wedsql'
  and p.prosrc ~* '(from|update|into)\\s+wedsql[.][a-z_]+\\s'
order by 1
"""


def planned(kit: Kit, person: str) -> list[str]:
    """Return which of these functions a task calls that is taken and completed."""
    (task,) = api.tasks.open(person, CLERK, conn=kit.conn, limit=1)
    with kit.conn.transaction():
        kit.conn.execute("set local track_functions = 'all'")
        api.tasks.take(task.job_id, person, CLERK, conn=kit.conn)
        api.tasks.complete(task.job_id, person, {"checked": "yes"}, conn=kit.conn)
        return [name for (name,) in kit.conn.execute(PLANNED).fetchall()]


def test_a_task_calls_no_function_whose_statements_are_planned_each_time(office: Kit) -> None:
    for _ in range(2):
        office.start()
    planned(office, "ana")  # what a session reads only once
    assert planned(office, "ana") == []


def test_many_tasks_call_none_either(office: Kit) -> None:
    for _ in range(5):
        office.start()
    tasks = [one.job_id for one in api.tasks.open("ana", CLERK, conn=office.conn)]
    with office.conn.transaction():
        office.conn.execute("set local track_functions = 'all'")
        api.tasks.take_many(tasks, "ana", CLERK, conn=office.conn)
        api.tasks.complete_many({task: {"checked": "yes"} for task in tasks}, "ana", conn=office.conn)
        found = office.conn.execute(PLANNED.replace("p.proname", "p.proname, s.calls", 1)).fetchall()
    assert [(name, calls) for name, calls in found if calls >= len(tasks)] == []
