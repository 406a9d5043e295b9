"""Django-Q2's settings as a plain dictionary; settings.py imports it, so it imports no project module."""

from __future__ import annotations

from typing import Any

REAPER = "reaper"


def q_cluster(
    *, workers: int = 2, timeout: int = 600, batch: int = 100, mode: str = "batch", log_level: str = "WARNING"
) -> dict[str, Any]:
    """Return Q_CLUSTER for the transition workers, with the reaper as the alternative cluster `reaper`.

    Args:
        workers: worker processes.
        timeout: seconds that a task of several jobs may run at most; the kernel enforces the jobs' own
         timeouts, which end much sooner.
        batch: jobs per task.
        mode: "batch", or "step" for one commit per job.
        log_level: of Django-Q's own logger.
    """
    return {
        "name": "wedsql",
        "broker_class": "workers.djangoq.broker.JobPoolBroker",
        "workers": workers,
        "queue_limit": workers,  # no other machine can take a job that waits in this queue
        "bulk": 1,
        "timeout": timeout,
        "retry": timeout + 60,  # must exceed the timeout, else a running task is started again
        "max_attempts": 1,  # the kernel counts the attempts of each job
        "recycle": 100_000,
        "max_rss": 400_000,  # kilobytes
        "save_limit": -1,  # wed_trace and job_log have the results
        "ack_failures": True,
        "catch_up": False,
        "scheduler": False,  # a schedule could run any dotted path
        "guard_cycle": 0.5,
        "log_level": log_level,
        "jobs_per_task": batch,
        "job_mode": mode,
        "ALT_CLUSTERS": {
            REAPER: {
                "broker_class": "workers.reaper.broker.ReaperBroker",
                "workers": 1,
                "queue_limit": 1,
                "timeout": 30,
                "retry": 60,
            }
        },
    }
