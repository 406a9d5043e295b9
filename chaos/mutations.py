"""The guards of steps: who may write which result, when, and what follows from it."""

# ruff: noqa: E501 - lists of texts are easier to read with one item per line

from __future__ import annotations

from chaos.mutation import Mutation


def _when(line: str) -> tuple[str, str]:
    """Return a rejecting condition of _check_jobs, and the same one disabled."""
    return f"when {line} then", f"when false and ({line}) then"


def _jobs(guard: str, tests: str, line: str) -> Mutation:
    return Mutation(guard, tests, ("_check_jobs",), *_when(line))


def _single(
    guard: str, tests: str, old: str, new: str = "true", function: str = "_gen_fast_path"
) -> Mutation:
    return Mutation(f"single result: {guard}", tests, (function,), old, new)


_IN_TIME = "coalesce(v_now - j.timeout, '-infinity') <= wedsql._moment('wedsql.%s_at')"


MUTATIONS = [
    _jobs("claim at completion (fencing token)", "k_leases::test_k27_a_token_of_an_earlier_firing_is_refused", "c.claim is not null and j.claim is distinct from c.claim"),
    _jobs("expiry of a lease at completion", "k_time::test_k09_a_late_result_is_refused_at_once_and_not_only_by_the_commit", "c.claim is not null and j.lease_until <= v_now"),
    _jobs("timeout at commit", "k_time::test_k09_a_late_result_is_refused_at_once_and_not_only_by_the_commit", "c.claim is null and j.timeout is not null and v_now - v_took > j.timeout"),
    _jobs("own job: this transaction took it", "k_hold::test_k07_a_job_of_an_ended_transaction_is_not_finished_in_one_that_took_another", "c.claim is null and (v_took is null or not p_held and strpos(v_ids, ',' || c.id || ',') = 0)"),
    _jobs("write-set of a trigger", "k_writes::test_k48_write_set_by_api_and_by_the_papers_update", "t.writes is not null and c.s - t.writes <> '{}'"),
    Mutation("advisory lock again at commit", "k_sessions::test_a_job_that_another_holds_is_not_got_by_a_list", ("_check_jobs",),
             "not pg_try_advisory_xact_lock(c.wid, j.tgid)", "false"),
    Mutation("advisory lock at take", "k_sessions::test_a_job_that_another_holds_is_not_got_by_a_list", ("_pick",),
             "pg_try_advisory_xact_lock(v_job.wid, v_job.tgid) end) then", "true end) then"),
    Mutation("session's lock at hold", "k_hold::test_what_a_session_holds_is_kept_from_others_over_its_commits", ("_pick",),
             "pg_try_advisory_lock(v_job.wid, v_job.tgid)", "true"),
    _single("claim at completion", "k_leases::test_k27_a_token_of_an_earlier_firing_is_refused", "j.claim = p_claim", function="_gen_single"),
    _single("expiry of a lease", "k_time::test_k09_a_late_result_is_refused_at_once_and_not_only_by_the_commit", "j.lease_until > v_now", function="_gen_single"),
    _single("timeout at commit", "k_time::test_k09_a_late_result_is_refused_at_once_and_not_only_by_the_commit", _IN_TIME % "took", function="_gen_single"),
    _single("timeout of a held job", "k_hold::test_k09_a_held_job_has_its_time", _IN_TIME % "held", function="_gen_complete_held"),
    _single("this transaction took it", "k_hold::test_k07_a_job_of_an_ended_transaction_is_not_finished_in_one_that_took_another", "strpos(coalesce(current_setting('wedsql.took_jobs', true), ''), ',' || p_job_id || ',') > 0",
            function="_gen_single"),
    _single("write-set of a trigger", "k_writes::test_k48_write_set_by_api_and_by_the_papers_update", "and t.writes is not null having", "and false having", "_within_writes"),
    _single("advisory lock again at commit", "k_hold::test_a_job_whose_result_is_not_committed_yet_is_kept_from_others", "'pg_try_advisory_xact_lock(p_wid, v_job.tgid)", "'true",
            "_gen_complete_held"),
    _single("the session holds it", "k_hold::test_a_job_that_was_let_go_is_not_finished_though_it_is_free", "pg_advisory_unlock(p_wid, v_job.tgid)", function="_gen_complete_held"),
    _single("instance locked before its job is checked", "k_failures::test_k56_a_result_that_waits_for_a_cancellation_is_refused", " where w.wid = {name}.p_wid for no key update", " where w.wid = {name}.p_wid"),
    _single("own job leaves the pool", "k_hold::test_what_a_session_holds_is_kept_from_others_over_its_commits", "where j.wid = p_wid and j.id = p_job_id),", "where false),"),
    _single("a trigger that fires itself again", "k_short::test_a_trigger_that_holds_again_after_its_own_step_fires_again", "if v_job.tgid = any (v_new) then", "if false then"),
    _single("running instances only", "k_hold::test_a_held_job_of_an_instance_that_runs_no_more_is_not_finished", "and x.status = 'R'", ""),
    _single("cycles are counted", "k_failures::test_k18_the_firing_limit_ends_a_loop", "v_job.limited and v_new is not null", "false"),
    _single("a failed predicate is recorded", "k_matching::test_k03_error_after_the_start_makes_the_exception_say_so", "0 > any (v_matched)", "false"),
    Mutation("job read again under its lock", "k_hold::test_a_job_that_is_done_between_the_look_and_the_lock_is_not_handed_out", ("_gen_taken", "_gen_take"),
             "language plpgsql security definer", "language plpgsql stable security definer"),
    Mutation("instances locked before their jobs are checked", "k_failures::test_k56_a_result_that_waits_for_a_cancellation_is_refused", ("_gen_commit",),
             "order by w.wid for no key update", "order by w.wid"),
    Mutation("claim when a failure is reported", "k_failures::test_k10_a_failure_of_another_workers_lease_counts_nothing", ("fail_many",),
             "j.claim is not distinct from u.claim", "true"),
    Mutation("final state while work is pending", "k_final::test_k06_reject_the_commit_is_refused", ("_next_status",),
             "when p_final and p_policy = 'reject' then '!'", "when p_final then 'R'"),
    Mutation("first state that matches nothing", "k_start::test_w073_nothing_matches_nothing_is_started", ("_next_status",), "when p_fresh then '?'", "when p_fresh then 'R'"),
    Mutation("own jobs leave the pool", "k_figure2::test_w050_figure2_word_for_word", ("_settle",),
             "j.id = any (array(select s.job_id from unnest(p_steps) s))", "false"),
    Mutation("answer to a repeated result", "k_trace::test_f1_a_repeated_complete_gets_the_first_answer", ("_complete_one",),
             "if v_why.code in ('WD102', 'WD105', 'WD205', 'WD211') then", "if false then"),
    Mutation("repeated result with other values", "k_repeated::test_f1_a_repeat_with_another_result_is_refused", ("_complete_one",),
             "and wedsql._same_result(p_flow, p_changes, p_set, t)", ""),
    Mutation("time as the transaction commits", "k_time::test_k09_a_commit_that_comes_late", statement="drop trigger in_time on wedsql.commit_by"),
    Mutation("failures of held jobs only", "k_failures::test_k10_a_failure_of_a_job_that_is_not_held_counts_nothing", ("fail_many",), "wedsql._holds(j.wid, j.tgid)", "true"),
    Mutation("one statement writes one instance", "k_time::test_k28_one_statement_over_two_held_instances", ("_paper_update",),
             "perform wedsql._one_instance(tg_table_schema, new.wid);", ""),
    Mutation("an item of the reaper fails alone", "k_poisoned::test_f5_a_poisoned_item_stops_no_other", ("_reap_item",),
             "exception when query_canceled or others then", "exception when data_corrupted then"),
    Mutation("key of a start", "k_start::test_f4_a_key_twice_in_one_call", statement="drop index wedsql.instance_key"),
    Mutation("number of a rejected start", "k_numbers::test_a_refused_start_takes_no_number", ("_start_body",), "when v_none then - v_ord", "when false then - v_ord"),
    Mutation("number of a start whose key is known", "k_numbers::test_a_start_with_a_known_key_takes_no_number", ("_check_keys",),
             "i.key = any (p_keys)", "false"),
    Mutation("attempts come to an end", "k_failures::test_k10_attempts_used_up_make_an_exception_with_its_reason", ("fail_many",), "if v_job.spent then", "if false then"),
    Mutation("reaper gives expired leases back", "k_leases::test_k11_an_expired_lease_is_offered_again", ("_due_items",), "j.lease_until <= p_now", "false"),
    Mutation("clock set back: leases go back with it", "k_clock::test_f7_a_lease_of_an_hour_ahead_ends_when_it_should", ("_plan_back",), "lease_until = j.lease_until - p_back, ", ""),
    Mutation("clock put right: the timers that it set go back with it", "k_clock::test_f7_a_timer_of_an_hour_ahead_fires_when_it_should", ("_timers_back",), "x.due_at - p_back", "x.due_at"),
    Mutation("clock set back: timers wait for the time that was right", "k_clock::test_f7_an_hour_behind_for_a_while_moves_no_timer", ("_reap_clock",),
             "then v_beat.ahead_from + v_back end", "then v_beat.ahead_from + v_back else '-infinity' end"),
    Mutation("nothing is started on a nearly full disk", "k_disk::test_f12_every_start_fails_under_five_percent", ("_room",), "d.free < d.total / 20", "false"),
    Mutation("trigger of the paper's UPDATE", "k_locks::test_k07_update_without_lock", ("_guard_flow",),
             "for each row when (current_user <> 'wed_owner'::text) execute function wedsql._paper_update()",
             "for each row when (false) execute function wedsql._paper_update()"),
    Mutation("trigger of the paper's INSERT", "k_start::test_k39_insert_of_many_rows", ("_guard_flow",),
             "for each row when (current_user <> 'wed_owner'::text) execute function wedsql._paper_insert()",
             "for each row when (false) execute function wedsql._paper_insert()"),
    Mutation("a session's lock does not count as a transaction's", "k_locks::test_k08_only_an_exclusive_lock_of_the_transaction_counts", ("_paper_in_time",),
             "if (p_held or wedsql._may_lock_by_session()) and wedsql._holds_by_session(p_job.wid, p_job.tgid) then", "if false then"),
    Mutation("instances are never deleted", "k_locks::test_k29_rows_are_not_deleted", ("_guard_flow",),
             "for each statement when (current_user <> 'wed_owner'::text) execute function wedsql._never()",
             "for each statement when (false) execute function wedsql._never()"),
    Mutation("re-match when a definition changes", "k_publish::test_k17_by_plain_sql_on_the_views", statement="drop trigger d_commit on wedsql.trig"),
    Mutation("trigger with pending work stays", "k_definition::test_k42_a_trigger_with_pending_jobs_is_not_deleted", statement="drop trigger a_delete on wedsql.trig"),
    Mutation("lexer: bounds of a pattern", "lexer_corpus::test_hostile_text_is_refused_at_its_place", ("pattern_problem",),
             "if length(p_pattern) > 200 then", "return null; if length(p_pattern) > 200 then"),
    Mutation("lexer: closed vocabulary", "k_definition::test_k03_k36_k37_bad_predicates_are_refused_at_definition", ("refuse_word",), "begin", "begin return;"),
    Mutation("predicates are evaluated without rights", "k_definition::test_k36_predicates_are_evaluated_by_a_role_that_may_read_nothing",
             statement="grant create on schema wed_match to wed_owner;"
        " alter function wed_match.compile(integer, text, text, text, text) owner to wed_owner"),
    Mutation("a failing predicate blocks no other instance", "k_matching::test_k03_failing_predicate_counts_as_not_true", ("_matcher",),
             "\nexception when others then", "\nexception when data_corrupted then"),
]  # fmt: skip
