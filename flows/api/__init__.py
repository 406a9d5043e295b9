"""The public API of the kernel for Python: one function per operation, grouped by topic in modules.

Every function uses Django's default connection, or the psycopg connection given as `conn`, and runs in its
current transaction. Errors of the kernel are raised as the classes of flows.errors; the *_many functions
return one result per item instead, so that the error of one item does not affect the others.

The imports below are the whole of it: what a module has besides is for other parts of the product.

Programs call the kernel through this package. These parts of the product call its functions directly:

- `workers.client`, the fast client of the worker processes: the operations of `taking`, `results` and
  `registration` as prepared statements in a pipeline, and those that only a worker needs (jobs held by the
  session, durations of handlers, handlers that cannot be served). A test compares the results of both.
- `BaseWorker`, the worker of the paper, which imports nothing from this project.
- `flows` itself: the installer, migration operations, the archive, and `flows.queries`, which only reads.
"""

from flows.api.checks import lint
from flows.api.definitions import (
    check_predicate,
    confirm_losses,
    create_flow,
    definition,
    difference,
    drop_flow,
    last_loss,
    publish,
    schema_name,
)
from flows.api.indexes import (
    attribute_index,
    build_indexes,
    list_indexes,
    request_index,
    withdraw_index,
)
from flows.api.instances import cancel, rematch, start, start_many
from flows.api.jobs import extend, lease_many, offer, release, take, take_many
from flows.api.locks import list_locks, lock_queues
from flows.api.maintenance import (
    check_invariants,
    data_directory,
    maintain,
    next_due,
    reap,
    report_disk,
)
from flows.api.operations import (
    extend_job,
    prioritize_job,
    reassign_job,
    release_job,
    resume,
    retry_job,
    suspend,
    withdraw_job,
)
from flows.api.registration import heartbeat, never_offered, register_worker, unregister_worker
from flows.api.rematches import continue_rematch, finish_rematch, rematch_due
from flows.api.results import complete, complete_many, fail, fail_many
from flows.api.roles import close_flow_role, open_flow_role
from flows.api.sources import keep_source, read_source, task_host
from flows.capabilities.alerts.api import (
    acknowledge_alert,
    alert_history,
    count_alerts,
    delete_alert_rule,
    list_alert_rules,
    measure_alert,
    measure_alert_rule,
    read_alert_rule,
    remove_old_alerts,
    save_alert_rule,
    send_test_alert,
    settle_alert_rule,
    silence_alert,
    take_alert_rule,
)
from flows.capabilities.alerts.deliveries import settle_delivery, take_delivery
from flows.capabilities.approvals.api import (
    approve_as_administrator,
    approve_repair,
    bulk_approvals,
    delegate_approvals,
    end_delegation,
    list_approval_rules,
    list_delegations,
    list_proposals,
    proposals_to_approve,
    propose_approval_rules,
    propose_repair,
    read_proposal,
    reject_repair,
    save_approval_rules,
    withdraw_repair,
)
from flows.capabilities.bulk.api import (
    bulk_rows,
    continue_bulk,
    list_bulk,
    pause_bulk,
    preview_bulk,
    read_bulk,
    request_bulk,
    resume_bulk,
    withdraw_bulk,
)
from flows.capabilities.cases.api import (
    case_groups,
    change_case,
    claim_case,
    claims_of_others,
    comment_case,
    end_waits,
    give_case,
    list_case_rules,
    list_cases,
    listed_cases,
    next_case,
    read_case,
    release_case,
    save_case_rules,
    sign_cases,
    wait_case,
)
from flows.capabilities.cases.digests import (
    case_digest,
    case_queues,
    delete_case_digests,
    due_case_digests,
    list_case_digests,
    queue_case_digest,
    remove_old_digests,
    save_case_digest,
)
from flows.capabilities.cases.files import (
    attach_case_file,
    list_case_files,
    read_case_file,
    remove_case_file,
)
from flows.capabilities.cases.reports import case_report
from flows.capabilities.children.api import (
    add_children,
    child_ends,
    child_jobs,
    children,
    children_repaired,
    continue_children,
)
from flows.capabilities.conditions.api import (
    accepted_conditions,
    check_condition,
    check_definition,
    completions,
    condition_outline,
    evaluate,
)
from flows.capabilities.conditions.coverage import coverage
from flows.capabilities.controls.api import controls, list_control_changes
from flows.capabilities.drafts.acknowledgements import (
    acknowledge_finding,
    list_acknowledgements,
    withdraw_acknowledgement,
)
from flows.capabilities.drafts.api import (
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
from flows.capabilities.drafts.named_objects import named_objects, save_named_objects
from flows.capabilities.drafts.publications import (
    approve_publication,
    begin_due,
    list_publications,
    publish_due,
    read_publication,
    read_publications,
    reject_publication,
    request_publication,
    request_rollback,
    submit_definition,
    withdraw_publication,
)
from flows.capabilities.drafts.sources import keep_draft_source, read_draft_source
from flows.capabilities.figures.api import count_history, figures, transition_figures
from flows.capabilities.filters.api import delete_view, list_views, save_view
from flows.capabilities.keys.api import (
    create_worker_key,
    list_worker_keys,
    log_in_worker,
    log_out_worker,
    revoke_worker_key,
    rotate_worker_key,
    scope_of_role,
)
from flows.capabilities.looks.api import list_changes, list_looks, look_at, record_look
from flows.capabilities.offline.api import (
    attach_offline_file,
    confirm_packages,
    continue_offline,
    device_seen,
    device_tasks,
    devices,
    give_offline_result,
    go_offline,
    keep_offline_result,
    offline_chain,
    offline_file,
    offline_results,
    offline_rule,
    offline_tasks,
    prefetch_package,
    read_package,
    set_device_state,
    share_package,
    skip_offline_results,
)
from flows.capabilities.past.api import places_at
from flows.capabilities.reasons.api import explain_instance, explain_jobs
from flows.capabilities.reasons.many import count_holding, explain_exceptions
from flows.capabilities.recovery.api import (
    last_repair,
    operation_permissions,
    operation_table,
    operations,
    preview_repair,
    repair,
    repair_operations,
)
from flows.capabilities.recovery.compensation import (
    abort,
    compensate,
    compensations,
    roll_back,
    skip_compensation,
)
from flows.capabilities.recovery.late import decide_late, late_results
from flows.capabilities.recovery.policies import deciding_rules, list_policies, run_policies, save_policies
from flows.capabilities.recovery.proposed_rules import draft_proposed_rule, preventable_cases, proposed_rule
from flows.capabilities.recovery.suggestions import suggestions
from flows.capabilities.signals.api import signal, signals
from flows.capabilities.sla.api import (
    advance_slas,
    after_working_time,
    delete_calendar,
    delete_sla,
    list_calendars,
    list_clocks,
    list_slas,
    save_calendar,
    save_sla,
    working_time,
)
from flows.capabilities.tasks.api import (
    complete_task,
    done_tasks,
    fail_task,
    flow_tasks,
    give_task,
    instance_tasks,
    listed_tasks,
    newest_tasks,
    open_tasks,
    own_tasks,
    put_task_aside,
    read_task,
    release_task,
    start_task,
    take_first_task,
    take_next_task,
    take_task,
    task_load,
    tasks_of_other_rules,
    tasks_of_others,
    team_load,
)
from flows.capabilities.tasks.choices import clear_task_places, place_task, set_task_list, task_list
from flows.capabilities.tasks.deadlines import (
    absences,
    active_persons,
    delete_absence,
    extend_task_deadline,
    keep_late_task,
    lost_task,
    mark_messages_read,
    messages,
    person_keys,
    person_seen,
    person_work,
    set_absence,
    set_task_settings,
    start_with_settings,
    task_settings,
    unread_messages,
)
from flows.capabilities.tasks.forms import (
    attach_task_file,
    keep_task_draft,
    preview_form,
    preview_task,
    read_task_draft,
    read_task_file,
    task_choices,
    task_form,
)
from flows.capabilities.tasks.many import complete_tasks, take_tasks
from flows.capabilities.tasks.message_mails import (
    due_message_mails,
    messages_to_mail,
    queue_message_mail,
    save_task_mail,
)
from flows.capabilities.trials.api import explain, nearest, try_complete, try_due, try_start
from flows.capabilities.trials.impact import deviations, impact, what_if
from flows.capabilities.trials.replays import replay
from flows.capabilities.trials.scenarios import (
    delete_scenario,
    list_scenarios,
    read_scenario,
    run_scenario,
    run_scenarios,
    save_scenario,
    scenario_path,
    try_path,
)
from flows.capabilities.webhooks.api import (
    delay_webhook,
    delete_webhook,
    due_webhooks,
    list_webhooks,
    queue_webhook_steps,
    read_webhook,
    remove_old_messages,
    resume_webhook,
    save_webhook,
    send_test_message,
    webhook_deliveries,
    webhook_steps,
)
