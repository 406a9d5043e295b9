"""An office whose tasks the tests perform, and what they ask of its lists."""

from __future__ import annotations

from typing import Any

from flows import api
from flows.capabilities.tasks.api import Task
from flows.tests.kit import Kit

CLERK, BOSS = ["r:Clerk"], ["r:Boss"]


def listed(kit: Kit, person: str, keys: list[str], **options: Any) -> list[Task]:
    return api.tasks.open(person, keys, conn=kit.conn, **options)


def only(kit: Kit, person: str, keys: list[str]) -> int:
    """Return the number of the only task that a person may take."""
    (found,) = listed(kit, person, keys)
    return found.job_id


def check(kit: Kit, person: str = "ana", data: str = "yes") -> None:
    """Perform the only open task of the clerk."""
    task = only(kit, person, CLERK)
    api.tasks.take(task, person, CLERK, conn=kit.conn)
    api.tasks.complete(task, person, {"checked": data}, conn=kit.conn)


def violations(kit: Kit) -> list[Any]:
    return kit.rows("select * from wedsql.violations() v where v.found > 0")
