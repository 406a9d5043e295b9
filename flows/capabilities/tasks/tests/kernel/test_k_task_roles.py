"""Which roles of the database perform tasks: the web alone, by functions; none writes the tables."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from flows.tests.kit import Kit

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]

CAPABILITIES = Path(__file__).parents[3]
ROLES = ("wed_web", "wed_worker", "wed_reaper", "wed_monitor", "wed_view")
# Which functions of tasks others than the web may call: lists and counts for pages, mails for the reaper.
ALSO = {
    "wed_monitor": {
        "open_tasks", "newest_tasks", "own_tasks", "task_items", "done_tasks", "flow_tasks",
        "instance_tasks", "task_load", "tasks_of_other_rules", "tasks_of_others", "team_load",
        "task_settings", "task_list",
        "task_applications",
    },
    "wed_reaper": {
        "open_tasks", "newest_tasks", "own_tasks", "person_keys", "due_message_mails", "messages_to_mail",
        "queue_message_mail", "unread_messages",
    },
}  # fmt: skip
CALLABLE = """
select p.proname as name, p.provolatile = 'v' as changes from pg_proc p
where p.pronamespace = 'wedsql'::regnamespace and p.proname = any (%s)
  and has_function_privilege(%s, p.oid, 'execute') order by 1
"""
WRITABLE = """
select c.relname as name from pg_class c
where c.relnamespace = 'wedsql'::regnamespace and c.relkind in ('r', 'p')
  and (c.relname ~ '^(task|device|absence|message)' )
  and (has_table_privilege(%(role)s, c.oid, 'insert,update,delete,truncate')
       or has_any_column_privilege(%(role)s, c.oid, 'insert,update'))
"""


def functions() -> set[str]:
    """Return the names of all functions of tasks and of devices."""
    texts = "".join(
        path.read_text(encoding="utf-8")
        for name in ("tasks", "offline")
        for path in sorted((CAPABILITIES / name / "sql").glob("*.sql"))
    )
    return set(re.findall(r"^create or replace function wedsql\.(\w+)", texts, re.MULTILINE))


@pytest.mark.parametrize("role", ROLES)
def test_only_the_web_performs_tasks(kit: Kit, role: str) -> None:
    every = functions()
    assert len(every) > 150
    found = kit.rows(CALLABLE, [sorted(every), role])
    if role == "wed_web":
        assert {one.name for one in found} >= {"take_task", "complete_task", "keep_offline_result"}
        assert [one.name for one in found if one.name.startswith("_")] == []
        return
    assert {one.name for one in found} == ALSO.get(role, set())


@pytest.mark.parametrize("role", ROLES)
def test_no_role_writes_the_tables_of_tasks(kit: Kit, role: str) -> None:
    assert [one.name for one in kit.rows(WRITABLE, {"role": role})] == []
    assert len(kit.rows(WRITABLE, {"role": "wed_owner"})) > 5
