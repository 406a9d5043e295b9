"""The public API of the kernel for Python: one function per operation, by topic.

    from flows import api

    wid = api.instances.start("orders", {"amount": 10})

Each module of this package is a topic; docs/python-api.md has all functions. Every function uses Django's
default connection, or the psycopg connection given as `conn`, and runs in its current transaction. Errors of
the kernel are raised as the classes of flows.errors; the *_many functions return one result per item instead,
so that the error of one item does not affect the others.

The topics are the whole of it: what `flows.engine` and the capabilities have besides is for other parts of
the product. Programs call the kernel through this package. These parts call its functions directly:

- `workers.client`, the fast client of the worker processes: what workers call of `jobs`, `workers` and
  `maintenance` as prepared statements in a pipeline, and those that only a worker needs (jobs held by the
  session, durations of handlers, handlers that cannot be served). A test compares the results of both.
- `BaseWorker`, the worker of the paper, which imports nothing from this project.
- `flows` itself: the installer, migration operations, the archive, and `flows.queries`, which only reads.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from flows.api import (
    alerts,
    approvals,
    bulk,
    cases,
    children,
    compensations,
    conditions,
    controls,
    drafts,
    figures,
    flows,
    indexes,
    instances,
    jobs,
    locks,
    looks,
    maintenance,
    moves,
    offline,
    operations,
    persons,
    publications,
    reasons,
    repairs,
    signals,
    sla,
    task_forms,
    tasks,
    trials,
    views,
    webhooks,
    workers,
)

# The names that version 1.0.0 had in this module. They go with the version after the present one.
_RELEASED = {
    "create_flow": "flows.create",
    "drop_flow": "flows.drop",
    "definition": "flows.definition",
    "publish": "flows.publish",
    "rematch": "instances.rematch",
    "start": "instances.start",
    "start_many": "instances.start_many",
    "take": "jobs.take",
    "take_many": "jobs.take_many",
    "lease_many": "jobs.lease_many",
    "complete": "jobs.complete",
    "complete_many": "jobs.complete_many",
    "fail": "jobs.fail",
    "fail_many": "jobs.fail_many",
    "extend": "jobs.extend",
    "release": "jobs.release",
    "cancel": "instances.cancel",
    "offer": "jobs.offer",
    "register_worker": "workers.register",
    "heartbeat": "workers.heartbeat",
    "unregister_worker": "workers.unregister",
    "reap": "maintenance.reap",
    "next_due": "maintenance.next_due",
    "maintain": "maintenance.maintain",
    "check_invariants": "maintenance.check_invariants",
    "report_disk": "maintenance.report_disk",
    "data_directory": "maintenance.data_directory",
    "check_predicate": "flows.check_predicate",
    "schema_name": "flows.schema_name",
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Return the function with this name in version 1.0.0, and warn at its first use."""
        if name not in _RELEASED:
            raise AttributeError(f"module 'flows.api' has no attribute {name!r}")
        topic, _, present = _RELEASED[name].partition(".")
        warnings.warn(
            f"flows.api.{name} is deprecated: call flows.api.{topic}.{present}",
            DeprecationWarning,
            stacklevel=2,
        )
        found = globals()[name] = getattr(globals()[topic], present)
        return found
