"""Guards of the reaper and retention, of rejected updates, of sizes and costs, of isolation of flows."""

# ruff: noqa: E501 - lists of texts are easier to read with one item per line

from __future__ import annotations

from chaos.mutation import Mutation

_ANY = "exception when data_corrupted then"


def _reaper(
    guard: str, tests: str, function: str, rest: str = "", old: str = "exception when others then"
) -> Mutation:
    """Return a mutation of an exception block of the reaper that lets the error through."""
    return Mutation(f"reaper: {guard}", tests, (function,), old + rest, _ANY + rest)


def _note_trouble(kind: str) -> str:
    return f"\n    perform wedsql._note_trouble(0, '{kind}'"


def _view(name: str) -> Mutation:
    test = (
        "cheap_function_sees_an_instance_of"
        if name in ("job_pool", "st_status")
        else "function_in_a_where_sees"
    )
    return Mutation(f"view {name} is a barrier", f"k_isolation::test_no_{test}_another_flow", ("_make_views",),
                    f"view {{flow:I}}.{name} with (security_barrier) as", f"view {{flow:I}}.{name} as")  # fmt: skip


MUTATIONS = [
    Mutation("stale job of a paper's client", "k_refused::test_k26_an_update_for_a_stale_job_is_refused", ("_paper_update",),
             "perform wedsql._check_not_stale(v_job, v_matched);", ""),
    Mutation("rejection that outlives its rollback", "k_refused::test_k26_the_reaper_drops_what_was_refused_as_stale", ("_note_refusal",), "if p_job is not null then", "if false then"),
    Mutation("stale job that a session holds", "k_refused::test_k26_a_held_job_is_left_for_another_round", ("_act_on_refusal",),
             " or p_stale and not pg_try_advisory_xact_lock(p_wid, v_job.tgid)", ""),
    Mutation("rejection on a locked instance", "k_refused::test_a_refusal_on_a_locked_instance_is_kept_for_the_next_round", ("_act_on_refusal",), "return false;", "return true;"),
    Mutation("rejections for pending work add up", "k_refused::test_k55_two_jobs_that_block_each_other_become_an_exception", ("_act_on_refusal",),
             "perform wedsql._final_blocked(v_flow, p_wid, 'reaper', p_now);", ""),
    _reaper("rejection that cannot be handled", "k_refused::test_f5_a_refusal_that_cannot_be_acted_on_is_reported", "_reap_refused", old="exception when query_canceled or others then"),
    _reaper("kind of work that fails", "k_poisoned::test_f5_a_kind_of_item_that_cannot_be_looked_for_stops_no_other", "_reap_flow"),
    _reaper("locked table", "k_poisoned::test_f5_a_locked_table_costs_the_other_flows_nothing", "_reap_flow", old="exception when lock_not_available or undefined_table then"),
    _reaper("sums of failed conditions", "k_poisoned::test_f5_a_round_goes_on_without_the_sums_of_conditions", "_reap_all_flows", _note_trouble("conditions")),
    _reaper("sessions past their timeout", "k_poisoned::test_f5_a_round_goes_on_without_a_look_at_the_sessions", "_reap_all_flows", _note_trouble("sessions")),
    _reaper("locks of other clients", "k_poisoned::test_f5_a_round_goes_on_without_a_look_at_the_sessions", "_reap_all_flows", _note_trouble("locks")),
    Mutation("reaper: session that cannot be ended", "k_poisoned::test_f5_a_poisoned_item_stops_no_other", ("_end_holder",), "when others then", "when data_corrupted then"),
    Mutation("reaper: item that never ends", "k_poisoned::test_f5_an_item_without_end_costs_a_round_and_no_more", ("_reap_item",), "perform set_config('wedsql.round_over', 'yes', true);", ""),
    Mutation("retention: batch that fails", "k_retention::test_an_instance_that_cannot_leave_stops_no_other", ("retire",),
             "exception when others then\n    null;", _ANY + "\n    null;"),
    Mutation("retention: instance that fails", "k_retention::test_an_instance_that_cannot_leave_stops_no_other", ("retire",),
             "exception when others then\n      perform", _ANY + "\n      perform"),
    Mutation("cost of a condition", "k_sizes::test_what_is_joined_over_and_over_is_refused", ("bounded_tree",), "if v_found.reason is null then", "if true then"),
    Mutation("cost: time", "lexer_cost::test_a_costly_function_needs_a_short_operand", ("too_costly",), "if v_memory > 134217728 or v_steps > 4e9 then", "if v_memory > 134217728 then"),
    Mutation("cost: memory", "k_sizes::test_what_is_joined_over_and_over_is_refused", ("too_costly",), "if v_memory > 134217728 or v_steps > 4e9 then", "if v_steps > 4e9 then"),
    Mutation("cost: functions known as costly", "lexer_cost::test_a_costly_function_needs_a_short_operand",
             statement="create or replace view wedsql.costly_function(pattern, kind) as values ('^$', 'product')"),
    Mutation("cost of a SET string", "k_sizes::test_a_set_string_cannot_ask_for_much_time_or_memory", ("_set_on",), "if wedsql.needs_tree_check(v_tokens) then", "if false then"),
    Mutation("size of a state", "k_sizes::test_a_state_may_be_a_megabyte_and_no_more", ("_check_size",), "elsif v_size > wedsql.state_limit() and", "elsif false and"),
    Mutation("size of a first state with its defaults", "k_sizes::test_a_first_state_counts_with_its_defaults", ("_start_body",), "perform wedsql._check_sizes(v_steps);", ""),
    Mutation("size of a state after a result", "k_sizes::test_a_state_may_be_a_megabyte_and_no_more", ("_gen_commit",), "perform wedsql._check_sizes(v_steps);", ""),
    Mutation("size of a state after a single result", "k_sizes::test_a_state_may_be_a_megabyte_and_no_more", ("_gen_fast_path",), "exit fast_path when pg_column_size(v_state) > 100000;", ""),
    Mutation("size of an inserted state", "k_sizes::test_a_state_may_be_a_megabyte_and_no_more", ("_paper_wid",), "perform wedsql._check_size(to_jsonb(new) - 'wid', null);", ""),
    Mutation("size of an updated state", "k_sizes::test_a_state_cannot_grow_by_expressions", ("_paper_update",), "perform wedsql._check_size(to_jsonb(new) - 'wid', v_before);", ""),
    Mutation("digits of a number", "k_sizes::test_a_number_has_at_most_a_thousand_digits", ("_check_size",), "if found then", "if false then"),
    *map(_view, ["wed_attr", "wed_trig", "job_pool", "wed_trace", "st_status"]),
    Mutation("views may lock nothing", "k_isolation::test_no_lock_of_a_flows_role_stops_another_flow", ("_make_views",), "perform wedsql._disown_views(p_name);", ""),
    Mutation("session that holds its jobs by session locks", "k_sessions::test_k08_a_held_job_is_recognized_whatever_the_session_writes", ("_paper_in_time",),
             "p_held or wedsql._may_lock_by_session()", "wedsql._may_lock_by_session()"),
    Mutation("session that may try to lock for itself", "k_sessions::test_k08_a_lock_of_the_session_is_noticed_by_whichever_function", ("_may_lock_by_session",),
             "has_function_privilege(session_user, 'pg_try_advisory_lock(integer,integer)', 'execute')", "false"),
    Mutation("session that may lock for itself", "k_sessions::test_k08_a_lock_of_the_session_is_noticed_by_whichever_function", ("_may_lock_by_session",),
             "has_function_privilege(session_user, 'pg_advisory_lock(integer,integer)', 'execute')", "false"),
]  # fmt: skip
