"""Django-Q2's settings as a plain dictionary; imported by settings.py, so it imports nothing of ours."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

REAPER = "reaper"


def q_cluster(environ: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Q_CLUSTER for the transition workers, with the reaper as the alternative cluster `reaper`.

    WEDSQL_Q_WORKERS (default 2): worker processes. WEDSQL_Q_TIMEOUT (default 600 seconds): the longest a
    task of several jobs may run; the jobs' own timeouts are kept by the kernel and end much sooner.
    WEDSQL_Q_BATCH (default 100): jobs handed to a worker at a time. WEDSQL_Q_MODE (default "batch"): "step"
    gives each its own commit.
    """
    env = os.environ if environ is None else environ
    timeout = int(env.get("WEDSQL_Q_TIMEOUT", "600"))
    workers = int(env.get("WEDSQL_Q_WORKERS", "2"))
    return {
        "name": "wedsql",
        "broker_class": "workers.broker.JobPoolBroker",
        "workers": workers,
        "queue_limit": workers,  # a job that waits in here is a job that another machine cannot take
        "bulk": 1,
        "timeout": timeout,
        "retry": timeout + 60,  # must exceed the timeout, else a running task is started again
        "max_attempts": 1,  # attempts are counted on the job, by the kernel
        "recycle": 100_000,
        "max_rss": 400_000,  # kilobytes
        "save_limit": -1,  # what happened is in wed_trace and job_log
        "ack_failures": True,
        "catch_up": False,
        "scheduler": False,  # a schedule runs any dotted path
        "guard_cycle": 0.5,
        "log_level": env.get("WEDSQL_Q_LOG", "WARNING"),
        "jobs_per_task": int(env.get("WEDSQL_Q_BATCH", "100")),
        "job_mode": env.get("WEDSQL_Q_MODE", "batch"),
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
