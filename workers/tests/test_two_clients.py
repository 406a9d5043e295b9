"""The public API and the workers' fast client return the same results and raise the same errors.

Every operation of `flows.api` has a row in client_rows.py or a reason to have none, and so has every command
of `workers.client`. A row runs the operation by each client on the same database, in the same state and at
the same time; results and errors are compared.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import psycopg
import pytest

from flows import api
from flows.database_errors import from_database
from flows.errors import WedError
from testkit.api_functions import functions as api_functions
from workers.client import jobs, maintenance, registration, results
from workers.client.claims import read_jobs
from workers.tests.client_rows import LONG, NAMES, ROWS, Desk, Row
from workers.tests.conftest import Shop

TOPICS: tuple[ModuleType, ...] = (jobs, results, registration, maintenance)
# Operations of designers, programs and operators; a worker uses none of them.
NO_WORKER = {
    "accepted_conditions",
    "approve_publication", "begin_due", "cancel", "check_condition", "check_definition", "check_invariants",
    "end_request", "standing_requests",
    "confirm_losses", "last_loss",
    "check_predicate", "completions", "condition_outline", "create_flow", "data_directory", "definition",
    "difference",
    "discard_draft", "draft_history", "draft_revision", "drop_flow", "evaluate", "explain",
    "list_drafts", "list_publications", "list_versions", "maintain", "merge_draft", "merge_running",
    "nearest", "numbered", "open_draft", "publish", "publish_due", "read_draft", "read_publication",
    "read_publications", "reap", "redo_draft", "reject_publication", "rematch", "renamed_triggers",
    "report_disk", "request_publication", "submit_definition",
    "request_rollback", "restore_version", "running_definition", "save_draft", "schema_name",
    "list_locks", "lock_queues", "add_children", "child_ends", "child_jobs", "children",
    "children_repaired", "continue_children",
    "signal", "signals", "start", "start_many", "try_complete", "try_due", "try_start", "undo_draft",
    "version_definition", "withdraw_publication",
    "deviations", "impact", "lint", "what_if",
    "create_worker_key", "list_worker_keys", "log_in_worker", "log_out_worker", "revoke_worker_key",
    "rotate_worker_key", "scope_of_role",
    "coverage", "delete_scenario", "list_scenarios", "replay", "read_scenario", "run_scenario",
    "run_scenarios", "save_scenario", "scenario_path", "try_path",
    "acknowledge_finding", "list_acknowledgements", "withdraw_acknowledgement",
    "explain_instance",
    "explain_jobs", "explain_waits",
    "create_identity", "due_moves", "hand_over", "identity", "message", "move", "move_definition",
    "move_problems", "moves", "not_sent", "peers", "places", "receive", "remove_peer", "save_peer",
    "take_back",
    "withdraw_job",
    "suspend",
    "retry_job",
    "resume",
    "release_job",
    "extend_job", "prioritize_job", "reassign_job",
    "last_repair", "preview_repair", "repair", "repair_operations", "operations",
    "operation_permissions",
    "abort", "compensate", "compensations", "roll_back", "skip_compensation",
    "count_history", "figures", "transition_figures",
    "continue_rematch", "finish_rematch", "rematch_due",
    "delete_view", "list_views", "save_view",
    "bulk_approvals", "bulk_rows", "continue_bulk", "list_bulk", "pause_bulk", "preview_bulk", "read_bulk",
    "request_bulk", "resume_bulk", "withdraw_bulk",
    "count_holding", "explain_exceptions",
    "acknowledge_alert", "alert_history", "count_alerts", "delete_alert_rule", "list_alert_rules",
    "measure_alert", "measure_alert_rule", "read_alert_rule", "remove_old_alerts", "save_alert_rule",
    "send_test_alert", "listed_alert_rules", "count_alert_states",
    "attribute_index", "build_indexes", "list_indexes", "request_index", "withdraw_index",
    "delay_webhook", "delete_webhook", "due_webhooks", "list_webhooks", "queue_webhook_steps",
    "read_webhook", "remove_old_messages", "resume_webhook", "save_webhook", "send_test_message",
    "webhook_deliveries", "webhook_steps",
    "complete_task", "done_tasks", "fail_task", "flow_tasks", "give_task", "instance_tasks", "open_tasks",
    "attach_task_file", "keep_task_draft", "preview_form", "preview_task", "read_task_draft",
    "read_task_file", "task_choices", "task_form",
    "due_message_mails", "messages_to_mail", "queue_message_mail", "save_task_mail",
    "listed_tasks", "newest_tasks", "take_first_task", "clear_task_places", "place_task",
    "set_task_list", "take_next_task",
    "task_list", "own_tasks", "put_task_aside", "read_task", "release_task", "start_task", "take_task",
    "task_load", "tasks_of_other_rules", "tasks_of_others",
    "team_load", "person_work",
    "absences", "active_persons", "delete_absence", "extend_task_deadline", "keep_late_task", "lost_task",
    "mark_messages_read", "messages", "person_keys", "person_seen", "set_absence", "set_task_settings",
    "start_with_settings", "task_settings", "unread_messages",
    "advance_slas", "after_working_time", "delete_calendar", "delete_sla", "list_calendars", "list_clocks",
    "list_slas", "places_at", "save_calendar", "save_sla", "working_time",
    "approve_repair", "delegate_approvals", "end_delegation", "list_approval_rules", "list_delegations",
    "list_proposals", "listed_proposals", "propose_repair", "proposals_to_approve", "read_proposal",
    "reject_repair",
    "save_approval_rules", "withdraw_repair", "propose_approval_rules", "approve_as_administrator",
    "case_groups", "change_case", "claim_case", "claims_of_others",
    "comment_case", "give_case", "list_case_rules",
    "list_cases", "listed_cases", "next_case",
    "read_case", "release_case", "save_case_rules", "sign_cases", "end_waits", "suggestions", "wait_case",
    "decide_late", "late_results", "case_report", "preventable_cases", "draft_proposed_rule", "proposed_rule",
    "attach_case_file", "list_case_files", "read_case_file", "remove_case_file", "deciding_rules",
    "list_policies", "save_policies", "run_policies",
    "case_digest", "case_queues", "delete_case_digests", "due_case_digests", "list_case_digests",
    "queue_case_digest", "remove_old_digests", "save_case_digest",
    "look_at", "record_look", "list_looks", "list_changes", "controls", "list_control_changes",
    "close_flow_role", "named_objects", "open_flow_role", "save_named_objects",
    "keep_source", "read_source",
    "take_tasks", "complete_tasks", "keep_draft_source", "read_draft_source",
    "confirm_packages", "continue_offline", "device_seen", "devices", "keep_offline_result",
    "offline_results", "offline_tasks", "read_package", "set_device_state", "skip_offline_results",
    "attach_offline_file", "offline_chain", "offline_file", "share_package",
    "offline_rule", "device_tasks", "go_offline", "prefetch_package", "give_offline_result",
    "settle_delivery", "settle_alert_rule", "silence_alert", "take_delivery", "take_alert_rule",
}  # fmt: skip
# take, complete and fail of one job are the *_many operations with one.
ONE_OF_MANY = {"complete", "fail", "take"}
# Commands that only a worker needs, and functions of the topics that are no commands.
ONLY_WORKER = {
    "jobs.warm", "results.warm", "results.retake", "results.is_transient", "results.refusals",
    "registration.report_problems", "registration.without_key", "maintenance.count_times",
}  # fmt: skip


def commands() -> set[str]:
    """Return every public function of the fast client's modules."""
    return {
        f"{topic.__name__.rpartition('.')[2]}.{name}"
        for topic in TOPICS
        for name, found in inspect.getmembers(topic, inspect.isfunction)
        if found.__module__ == topic.__name__ and not name.startswith("_")
    }


def test_every_operation_and_every_command_has_a_row() -> None:
    operations = set(api_functions())
    assert {row.operation for row in ROWS} == operations - NO_WORKER - ONE_OF_MANY, (
        "name a function that no worker calls in NO_WORKER; write a row in ROWS for any other"
    )
    assert {row.command for row in ROWS} == commands() - ONLY_WORKER


@pytest.fixture
def desk(shop: Shop) -> Iterator[Desk]:
    shop.start(4)
    (leased,) = read_jobs(shop.runner.wire.round(jobs.lease(shop.flow, NAMES, 1, "me", LONG, None))[0])
    worker = api.workers.register("process", "idle", "here", 1, [], conn=shop.db)
    yield Desk(shop, leased, worker)
    shop.runner.wire.round(jobs.hold(shop.flow, [""], 1, ""))  # releases what the session still holds


def answer(desk: Desk, call: Callable[[Desk], Any]) -> tuple[Any, ...]:
    """Return the result of a call, or class, code and message of its error; roll back its changes."""
    claim = desk.leased.claim
    try:
        with desk.conn.transaction(force_rollback=True):
            desk.conn.execute("select setseed(0)")  # the wait before the next attempt is random
            return ("returned", call(desk))
    except WedError as error:
        return type(error), error.code, error.message
    except psycopg.Error as error:
        typed = from_database(error)
        assert typed is not None
        # The fast path omits the server's message on a value; settled alone, the result has all of it.
        return type(typed), typed.code, "" if (error.sqlstate or "").startswith("22") else typed.message
    finally:
        desk.leased.claim = claim


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_both_clients_return_the_same(desk: Desk, row: Row) -> None:
    with desk.conn.transaction(force_rollback=True):
        desk.conn.execute(
            "create or replace function wedsql.now() returns timestamptz language sql volatile parallel safe"
            " as $$ select pg_catalog.transaction_timestamp() $$"
        )
        by_api, by_client = answer(desk, row.by_api), answer(desk, row.by_client)
    if by_client[0] == "returned" or by_client[-1]:
        assert by_client == (pytest.approx(by_api) if isinstance(by_api[-1], float) else by_api)
    else:
        assert by_client[:-1] == by_api[:-1]
