"""The public API of the kernel for Python: one function per operation, grouped by topic in modules.

Every function uses Django's default connection, or the psycopg connection given as `conn`, and runs in its
current transaction. Errors of the kernel are raised as the classes of flows.errors; the *_many functions
return one result per item instead, so that the error of one item does not affect the others.

Programs call the kernel through this package. These parts of the product call its functions directly:

- `workers.client`, the fast client of the worker processes: the operations of `taking`, `results` and
  `registration` as prepared statements in a pipeline, and those that only a worker needs (jobs held by the
  session, durations of handlers, handlers that cannot be served). A test compares the results of both.
- `BaseWorker`, the worker of the paper, which imports nothing from this project.
- `flows` itself: the installer, migration operations, the archive, and `flows.queries`, which only reads.
"""

from flows.api.checking import (
    check_condition,
    check_definition,
    completions,
    condition_outline,
    evaluate,
)
from flows.api.definitions import (
    check_predicate,
    create_flow,
    definition,
    difference,
    drop_flow,
    publish,
    schema_name,
)
from flows.api.drafts import (
    discard_draft,
    draft_history,
    draft_revision,
    list_drafts,
    list_versions,
    merge_draft,
    merge_running,
    numbered,
    open_draft,
    read_draft,
    redo_draft,
    restore_version,
    running_definition,
    save_draft,
    undo_draft,
    version_definition,
)
from flows.api.impact import deviations, impact, what_if
from flows.api.instances import cancel, rematch, start, start_many
from flows.api.linting import lint
from flows.api.maintenance import (
    check_invariants,
    data_directory,
    maintain,
    next_due,
    reap,
    report_disk,
)
from flows.api.publications import (
    approve_publication,
    list_publications,
    publish_due,
    read_publication,
    reject_publication,
    request_publication,
    request_rollback,
    withdraw_publication,
)
from flows.api.registration import heartbeat, register_worker, unregister_worker
from flows.api.results import complete, complete_many, fail, fail_many
from flows.api.taking import extend, lease_many, offer, release, take, take_many
from flows.api.trial import explain, nearest, try_complete, try_due, try_start

__all__ = [
    "approve_publication",
    "cancel",
    "check_condition",
    "check_definition",
    "check_invariants",
    "check_predicate",
    "complete",
    "complete_many",
    "completions",
    "condition_outline",
    "create_flow",
    "data_directory",
    "definition",
    "deviations",
    "difference",
    "discard_draft",
    "draft_history",
    "draft_revision",
    "drop_flow",
    "evaluate",
    "explain",
    "extend",
    "fail",
    "fail_many",
    "heartbeat",
    "impact",
    "lease_many",
    "lint",
    "list_drafts",
    "list_publications",
    "list_versions",
    "maintain",
    "merge_draft",
    "merge_running",
    "nearest",
    "next_due",
    "numbered",
    "offer",
    "open_draft",
    "publish",
    "publish_due",
    "read_draft",
    "read_publication",
    "reap",
    "redo_draft",
    "register_worker",
    "reject_publication",
    "release",
    "rematch",
    "report_disk",
    "request_publication",
    "request_rollback",
    "restore_version",
    "running_definition",
    "save_draft",
    "schema_name",
    "start",
    "start_many",
    "take",
    "take_many",
    "try_complete",
    "try_due",
    "try_start",
    "undo_draft",
    "unregister_worker",
    "version_definition",
    "what_if",
    "withdraw_publication",
]
