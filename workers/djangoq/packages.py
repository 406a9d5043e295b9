"""Signed tasks for Django-Q workers, for the few callables that they may run."""

from __future__ import annotations

import uuid

from django.utils import timezone
from django_q.signing import SignedPackage

RUN_JOBS = "workers.djangoq.tasks.run_jobs"
REAP = "workers.reaper.rounds.reap"
ALLOWED = frozenset({RUN_JOBS, REAP})
Task = tuple[str, str]


def package(func: str, *args: object) -> Task:
    """Return a signed task for an allowed callable, and its acknowledgement id; ValueError for any other."""
    if func not in ALLOWED:
        raise ValueError(f"{func} is not on the list of callables that may run.")
    number = uuid.uuid4().hex
    task = {
        "id": number,
        "name": func.rpartition(".")[2],
        "func": func,
        "args": args,
        "kwargs": {},
        "started": timezone.now(),
        "save": False,
        "ack_failure": True,
    }
    return f"job:{number}", SignedPackage.dumps(task)
