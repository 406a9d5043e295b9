"""Guards of refusals that outlive a rollback, of rounds that nothing stops, of sizes and costs, of walls between flows."""

# ruff: noqa: E501 - lists of texts read best one a line

from __future__ import annotations

from chaos import checks_bounds, checks_paper, checks_reaper
from chaos.guarded import Check
from chaos.mutation import Mutation

_ANY = "exception when data_corrupted then"


def _reaper(
    guard: str, check: Check, function: str, rest: str = "", old: str = "exception when others then"
) -> Mutation:
    """A block of the reaper that catches what fails, and the same that lets it through."""
    return Mutation(f"reaper: {guard}", check, (function,), old + rest, _ANY + rest)


def _told(kind: str) -> str:
    return f"\n    perform wedsql._note_trouble(0, '{kind}'"


def _view(name: str) -> Mutation:
    return Mutation(f"view {name} is a barrier", checks_paper.leaky_view, ("_make_views",),
                    f"view %1$I.{name} with (security_barrier) as", f"view %1$I.{name} as")  # fmt: skip


MUTATIONS = [
    Mutation("stale job of a paper's client", checks_paper.stale_refused, ("_paper_update",),
             "perform wedsql._check_not_stale(v_job, v_matched);", ""),
    Mutation("refusal that outlives its rollback", checks_paper.stale_dropped, ("_note_refusal",), "if p_job is not null then", "if false then"),
    Mutation("stale job that somebody holds", checks_paper.stale_held, ("_act_on_refusal",),
             " or p_stale and not pg_try_advisory_xact_lock(p_wid, v_job.tgid)", ""),
    Mutation("refusal of a locked instance", checks_paper.stale_waits, ("_act_on_refusal",), "return false;", "return true;"),
    Mutation("refusals for pending work add up", checks_paper.final_blocked, ("_act_on_refusal",),
             "perform wedsql._final_blocked(v_flow, p_wid, 'reaper', p_now);", ""),
    _reaper("refusal that cannot be acted on", checks_paper.poisoned_refusal, "_reap_refused", old="exception when query_canceled or others then"),
    _reaper("kind of work that fails", checks_reaper.kind_fails, "_reap_flow"),
    _reaper("locked table", checks_reaper.locked_flow, "_reap_flow", old="exception when lock_not_available or undefined_table then"),
    _reaper("sums of failed conditions", checks_reaper.sums_fail, "_reap_all_flows", _told("conditions")),
    _reaper("sessions past their time", checks_reaper.sessions_fail, "_reap_all_flows", _told("sessions")),
    _reaper("locks of strangers", checks_reaper.strangers_fail, "_reap_all_flows", _told("locks")),
    Mutation("reaper: session that cannot be ended", checks_reaper.holder_fails, ("_end_holder",), "when others then", "when data_corrupted then"),
    Mutation("reaper: item without end", checks_reaper.endless_item, ("_reap_item",), "perform set_config('wedsql.round_over', 'yes', true);", ""),
    Mutation("retention: batch that fails", checks_reaper.retired_alone, ("retire",),
             "exception when others then\n    null;", _ANY + "\n    null;"),
    Mutation("retention: instance that fails", checks_reaper.retired_alone, ("retire",),
             "exception when others then\n      perform", _ANY + "\n      perform"),
    Mutation("cost of a condition", checks_bounds.costly_condition, ("bounded_tree",), "if v_found.reason is null then", "if true then"),
    Mutation("cost: time", checks_bounds.costly_condition, ("too_costly",), "if v_memory > 134217728 or v_steps > 4e9 then", "if v_memory > 134217728 then"),
    Mutation("cost: memory", checks_bounds.large_condition, ("too_costly",), "if v_memory > 134217728 or v_steps > 4e9 then", "if v_steps > 4e9 then"),
    Mutation("cost: functions known as costly", checks_bounds.costly_condition,
             statement="create or replace view wedsql.costly_function(pattern, kind) as values ('^$', 'product')"),
    Mutation("cost of a SET string", checks_bounds.costly_set_string, ("_set_on",), "if wedsql.is_worth_a_look(v_tokens) then", "if false then"),
    Mutation("size of a state", checks_bounds.large_insert, ("_check_size",), "elsif v_size > wedsql.state_limit() and", "elsif false and"),
    Mutation("size of a first state with its defaults", checks_bounds.large_start, ("_gen_start",), "perform wedsql._check_sizes(v_steps);", ""),
    Mutation("size of a state after a result", checks_bounds.large_results, ("_gen_commit",), "perform wedsql._check_sizes(v_steps);", ""),
    Mutation("size of a state after a single result", checks_bounds.large_result, ("_short_way",), "exit short when pg_column_size(v_state) > 100000;", ""),
    Mutation("size of an inserted state", checks_bounds.large_insert, ("_paper_wid",), "perform wedsql._check_size(to_jsonb(new) - 'wid', null);", ""),
    Mutation("size of an updated state", checks_bounds.large_update, ("_paper_update",), "perform wedsql._check_size(to_jsonb(new) - 'wid', v_before);", ""),
    Mutation("digits of a number", checks_bounds.long_number, ("_check_size",), "if found then", "if false then"),
    *map(_view, ["wed_attr", "wed_trig", "job_pool", "wed_trace", "st_status"]),
    Mutation("views may lock nothing", checks_paper.lock_of_a_view, ("_make_views",), "perform wedsql._disown_views(p_name);", ""),
    Mutation("session with jobs in hand holds them by itself", checks_paper.lock_of_a_worker, ("_paper_in_time",),
             "p_held or wedsql._may_lock_by_session()", "wedsql._may_lock_by_session()"),
    Mutation("session that may try to lock for itself", checks_paper.lock_that_was_tried, ("_may_lock_by_session",),
             "has_function_privilege(session_user, 'pg_try_advisory_lock(integer,integer)', 'execute')", "false"),
    Mutation("session that may lock for itself", checks_paper.lock_of_a_session, ("_may_lock_by_session",),
             "has_function_privilege(session_user, 'pg_advisory_lock(integer,integer)', 'execute')", "false"),
]  # fmt: skip
