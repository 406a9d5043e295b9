"""Settings of the two Django-Q clusters: one performs transitions, one only watches the clock."""

from __future__ import annotations

from typing import Any

from wedsql_site import environment

CLUSTER = "wedsql"
REAPER = "reaper"


def q_cluster() -> dict[str, Any]:
    """Q_CLUSTER: jobs come straight from job_pool, so Django-Q itself queues, saves and retries nothing."""
    workers = environment.number("WEDSQL_WORKERS", 2)
    return {
        "name": CLUSTER,
        "label": "Django-Q",
        "broker_class": "workers.broker.JobPoolBroker",
        "orm": "default",
        "workers": workers,
        # A leased row in a local queue is out of reach for other clusters, so the queue stays short.
        "queue_limit": workers * 2,
        "bulk": workers * 2,
        "timeout": 300,
        "retry": 360,
        "recycle": 500,
        "max_attempts": 3,
        "ack_failures": True,
        "save_limit": -1,
        "catch_up": False,
        "ALT_CLUSTERS": {
            REAPER: {
                "broker_class": "workers.reaper.broker.ReaperBroker",
                "workers": 1,
                "queue_limit": 1,
                "bulk": 1,
                "timeout": 60,
                "retry": 90,
                "scheduler": False,
            }
        },
    }
