"""Where an instance stands, in sentences: what each of its jobs waits for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from flows.capabilities.reasons import sentences
from flows.capabilities.reasons.api import JobReason

# Jobs that can go on without anything from outside come last.
_URGENT = (
    *("no_assignee", "no_worker", "people", "repair", "suspended", "exclusion", "backoff"),
    *("lock_queue", "lock"),
    *("task", "task_held", "signal", "children", "database", "assigned", "queue", "lease", "held"),
)


@dataclass(frozen=True)
class Wait:
    """What one job waits for, and until or since when; `lock`: for a lock or its exclusion group."""

    title: str
    sentence: str
    until: datetime | None
    since: datetime | None
    lock: bool


def waits(jobs: Iterable[JobReason], titles: Mapping[int, str]) -> list[Wait]:
    """Return the reasons for which the jobs wait, the most urgent first."""

    def rank(job: JobReason) -> int:
        return _URGENT.index(job.waits_for) if job.waits_for in _URGENT else len(_URGENT)

    return [
        Wait(
            titles.get(job.id, job.transition),
            sentences.waiting(job),
            job.facts.get("until"),
            job.facts.get("since"),
            "lock" in job.facts,
        )
        for job in sorted(jobs, key=rank)
    ]
