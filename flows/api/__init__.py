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

from flows.api.acknowledging import (
    acknowledge_finding,
    list_acknowledgements,
    withdraw_acknowledgement,
)
from flows.api.alerts import (
    acknowledge_alert,
    alert_history,
    count_alerts,
    delete_alert_rule,
    list_alert_rules,
    measure_alert_rule,
    read_alert_rule,
    remove_old_alerts,
    save_alert_rule,
    send_test_alert,
    settle_alert_delivery,
    settle_alert_rule,
    silence_alert,
    take_alert_delivery,
    take_alert_rule,
)
from flows.api.bulk import (
    bulk_rows,
    continue_bulk,
    list_bulk,
    pause_bulk,
    read_bulk,
    request_bulk,
    resume_bulk,
    withdraw_bulk,
)
from flows.api.checking import (
    check_condition,
    check_definition,
    completions,
    condition_outline,
    evaluate,
)
from flows.api.covering import coverage
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
    renamed_triggers,
    restore_version,
    running_definition,
    save_draft,
    undo_draft,
    version_definition,
)
from flows.api.figures import count_history, figures, transition_figures
from flows.api.impact import deviations, impact, what_if
from flows.api.indexes import (
    attribute_index,
    build_indexes,
    list_indexes,
    request_index,
    withdraw_index,
)
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
from flows.api.operating import (
    prioritize_job,
    release_job,
    resume,
    retry_job,
    suspend,
    withdraw_job,
)
from flows.api.publications import (
    approve_publication,
    begin_due,
    list_publications,
    publish_due,
    read_publication,
    read_publications,
    reject_publication,
    request_publication,
    request_rollback,
    withdraw_publication,
)
from flows.api.reasons import explain_instance, explain_jobs
from flows.api.registration import heartbeat, register_worker, unregister_worker
from flows.api.rematching import continue_rematch, finish_rematch, rematch_due
from flows.api.replaying import replay
from flows.api.results import complete, complete_many, fail, fail_many
from flows.api.scenarios import (
    delete_scenario,
    list_scenarios,
    read_scenario,
    run_scenario,
    run_scenarios,
    save_scenario,
    try_path,
)
from flows.api.taking import extend, lease_many, offer, release, take, take_many
from flows.api.together import count_holding, explain_exceptions
from flows.api.trial import explain, nearest, try_complete, try_due, try_start
from flows.api.views import delete_view, list_views, save_view

__all__ = [
    "acknowledge_alert",
    "acknowledge_finding",
    "alert_history",
    "approve_publication",
    "attribute_index",
    "begin_due",
    "build_indexes",
    "bulk_rows",
    "cancel",
    "check_condition",
    "check_definition",
    "check_invariants",
    "check_predicate",
    "complete",
    "complete_many",
    "completions",
    "condition_outline",
    "continue_bulk",
    "continue_rematch",
    "count_alerts",
    "count_history",
    "count_holding",
    "coverage",
    "create_flow",
    "data_directory",
    "definition",
    "delete_alert_rule",
    "delete_scenario",
    "delete_view",
    "deviations",
    "difference",
    "discard_draft",
    "draft_history",
    "draft_revision",
    "drop_flow",
    "evaluate",
    "explain",
    "explain_exceptions",
    "explain_instance",
    "explain_jobs",
    "extend",
    "fail",
    "fail_many",
    "figures",
    "finish_rematch",
    "heartbeat",
    "impact",
    "lease_many",
    "lint",
    "list_acknowledgements",
    "list_alert_rules",
    "list_bulk",
    "list_drafts",
    "list_indexes",
    "list_publications",
    "list_scenarios",
    "list_versions",
    "list_views",
    "maintain",
    "measure_alert_rule",
    "merge_draft",
    "merge_running",
    "nearest",
    "next_due",
    "numbered",
    "offer",
    "open_draft",
    "pause_bulk",
    "prioritize_job",
    "publish",
    "publish_due",
    "read_alert_rule",
    "read_bulk",
    "read_draft",
    "read_publication",
    "read_publications",
    "read_scenario",
    "reap",
    "redo_draft",
    "register_worker",
    "reject_publication",
    "release",
    "release_job",
    "rematch",
    "rematch_due",
    "remove_old_alerts",
    "renamed_triggers",
    "replay",
    "report_disk",
    "request_bulk",
    "request_index",
    "request_publication",
    "request_rollback",
    "restore_version",
    "resume",
    "resume_bulk",
    "retry_job",
    "run_scenario",
    "run_scenarios",
    "running_definition",
    "save_alert_rule",
    "save_draft",
    "save_scenario",
    "save_view",
    "schema_name",
    "send_test_alert",
    "settle_alert_delivery",
    "settle_alert_rule",
    "silence_alert",
    "start",
    "start_many",
    "suspend",
    "take",
    "take_alert_delivery",
    "take_alert_rule",
    "take_many",
    "transition_figures",
    "try_complete",
    "try_due",
    "try_path",
    "try_start",
    "undo_draft",
    "unregister_worker",
    "version_definition",
    "what_if",
    "withdraw_acknowledgement",
    "withdraw_bulk",
    "withdraw_index",
    "withdraw_job",
    "withdraw_publication",
]
