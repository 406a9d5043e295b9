"""The public API of the kernel for Python: one function per operation, by topic in its modules.

Every function works on Django's default connection, or on the psycopg connection given as `conn`, inside
whatever transaction that connection is in. What the kernel refuses is raised as a class of flows.errors;
the *_many functions return one result per item instead, so that one refusal affects no other item.

A program calls the kernel through this package. These parts of the product call its functions themselves:

- `workers.client`, the fast client of the worker processes: the operations of `taking`, `results` and
  `registration` as prepared statements of a pipeline, and those that only a worker needs (jobs held by the
  session, times of handlers, handlers that cannot be served). A test holds both clients to the same answers.
- `BaseWorker`, the worker of the paper, which imports nothing of this project.
- `flows` itself: the installer, operations of migrations, the archive, and `flows.queries`, which only reads.
"""

from flows.api.definitions import (
    check_predicate,
    create_flow,
    definition,
    difference,
    drop_flow,
    publish,
    schema_name,
)
from flows.api.instances import cancel, rematch, start, start_many
from flows.api.maintenance import (
    check_invariants,
    data_directory,
    maintain,
    next_due,
    reap,
    report_disk,
)
from flows.api.registration import heartbeat, register_worker, unregister_worker
from flows.api.results import complete, complete_many, fail, fail_many
from flows.api.taking import extend, lease_many, offer, release, take, take_many

__all__ = [
    "cancel",
    "check_invariants",
    "check_predicate",
    "complete",
    "complete_many",
    "create_flow",
    "data_directory",
    "definition",
    "difference",
    "drop_flow",
    "extend",
    "fail",
    "fail_many",
    "heartbeat",
    "lease_many",
    "maintain",
    "next_due",
    "offer",
    "publish",
    "reap",
    "register_worker",
    "release",
    "rematch",
    "report_disk",
    "schema_name",
    "start",
    "start_many",
    "take",
    "take_many",
    "unregister_worker",
]
