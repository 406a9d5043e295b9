"""Helpers for tests in which persons perform tasks."""

from __future__ import annotations

from typing import Any

from flows import api
from flows.tests.kit import Kit

PERSON = "ana"


def pending(kit: Kit, name: str, wid: int) -> int:
    """Return the number of the only pending job of a transition."""
    (job,) = [each.id for each in kit.pending(wid) if each.trname == name]
    return int(job)


def is_task(kit: Kit, job: int) -> bool:
    """Return whether a person performs a job."""
    return bool(kit.one("select exists (select from wedsql.task where job_id = %s)", [job]))


def take(kit: Kit, job: int) -> Any:
    """Take a task as a person who may take it."""
    keys = [api.tasks.read(job, PERSON, conn=kit.conn).audience]
    return api.tasks.take(job, PERSON, keys, conn=kit.conn)


def done(kit: Kit, name: str, wid: int, **changes: Any) -> str:
    """Perform a pending job as a person or a worker does, and return the status of the instance."""
    job = pending(kit, name, wid)
    if not is_task(kit, job):
        return str(kit.run(name, wid, **changes).status)
    claim = take(kit, job).claim
    return str(api.tasks.complete(job, PERSON, changes, claim=claim, conn=kit.conn).status)


def failed(kit: Kit, name: str, wid: int) -> str:
    """Report the failure of a task, and return what that was."""
    job = pending(kit, name, wid)
    return api.tasks.fail(job, PERSON, "It cannot be done.", take(kit, job).claim, conn=kit.conn)
