"""The guards of steps: who may write which result, when, and what follows from it."""

# ruff: noqa: E501 - lists of texts read best one a line

from __future__ import annotations

from chaos import (
    checks_clock,
    checks_definitions,
    checks_many,
    checks_paper,
    checks_reaper,
    checks_results,
    checks_single,
    checks_starts,
    checks_takes,
)
from chaos.guarded import Check
from chaos.mutation import Mutation


def _when(line: str) -> tuple[str, str]:
    """A refusal of _check_jobs, and the same that never applies."""
    return f"when {line} then", f"when false and ({line}) then"


def _jobs(guard: str, check: Check, line: str) -> Mutation:
    return Mutation(guard, check, ("_check_jobs",), *_when(line))


def _single(guard: str, check: Check, old: str, new: str = "true", function: str = "_short_way") -> Mutation:
    return Mutation(f"single result: {guard}", check, (function,), old, new)


_IN_TIME = "coalesce(v_now - j.timeout, '-infinity') <= wedsql._moment('wedsql.%s_at')"


MUTATIONS = [
    _jobs("claim at completion (fencing token)", checks_results.fence, "c.claim is not null and j.claim is distinct from c.claim"),
    _jobs("expiry of a lease at completion", checks_results.lease_expiry, "c.claim is not null and j.lease_until <= v_now"),
    _jobs("timeout at commit", checks_results.timeout_at_commit, "c.claim is null and j.timeout is not null and v_now - v_took > j.timeout"),
    _jobs("own job: this transaction took it", checks_results.own_job, "c.claim is null and (v_took is null or not p_held and strpos(v_ids, ',' || c.id || ',') = 0)"),
    _jobs("write-set of a trigger", checks_results.write_set, "t.writes is not null and c.s - t.writes <> '{}'"),
    Mutation("advisory lock again at commit", checks_results.others_job, ("_check_jobs",),
             "not pg_try_advisory_xact_lock(c.wid, j.tgid)", "false"),
    Mutation("advisory lock at take", checks_takes.one_taker, ("_pick",),
             "pg_try_advisory_xact_lock(v_job.wid, v_job.tgid) end) then", "true end) then"),
    Mutation("session's lock at hold", checks_single.one_holder, ("_pick",),
             "pg_try_advisory_lock(v_job.wid, v_job.tgid)", "true"),
    _single("claim at completion", checks_results.fence, "j.claim = p_claim", function="_gen_single"),
    _single("expiry of a lease", checks_results.lease_expiry, "j.lease_until > v_now", function="_gen_single"),
    _single("timeout at commit", checks_results.timeout_at_commit, _IN_TIME % "took", function="_gen_single"),
    _single("timeout of a held job", checks_single.timeout_of_held, _IN_TIME % "held", function="_gen_complete_held"),
    _single("this transaction took it", checks_results.taken_here, "strpos(coalesce(current_setting('wedsql.took_jobs', true), ''), ',' || p_job_id || ',') > 0",
            function="_gen_single"),
    _single("write-set of a trigger", checks_results.write_set, "= '{}'%6$s as fine", "= '{}' as fine"),
    _single("advisory lock again at commit", checks_single.kept_to_the_commit, "'pg_try_advisory_xact_lock(p_wid, v_job.tgid)", "'true",
            "_gen_complete_held"),
    _single("the session holds it", checks_single.own_hold, "pg_advisory_unlock(p_wid, v_job.tgid)", function="_gen_complete_held"),
    _single("instance locked before its job is judged", checks_results.instance_first, " where w.wid = %14$s.p_wid for no key update", " where w.wid = %14$s.p_wid"),
    _single("own job leaves the pool", checks_results.own_job_leaves, "where j.wid = p_wid and j.id = p_job_id),", "where false),"),
    _single("a trigger that fires itself again", checks_single.fires_itself, "if v_job.tgid = any (v_new) then", "if false then"),
    _single("running instances only", checks_single.stopped, "and x.status = 'R'", ""),
    _single("cycles are counted", checks_single.fuse, "v_job.fuse and v_new is not null", "false"),
    _single("a failed predicate is told", checks_single.told_error, "0 > any (v_matched)", "false"),
    Mutation("job read again under its lock", checks_takes.taken_afresh, ("_gen_taken", "_gen_take"),
             "language plpgsql security definer", "language plpgsql stable security definer"),
    Mutation("instances locked before their jobs are judged", checks_many.instances_first, ("_gen_commit",),
             "order by w.wid for no key update", "order by w.wid"),
    Mutation("claim when a failure is told", checks_results.fence_of_failures, ("fail_many",),
             "j.claim is not distinct from u.claim", "true"),
    Mutation("final state while work is pending", checks_results.final_pending, ("_next_status",),
             "when p_final and p_policy = 'reject' then '!'", "when p_final then 'R'"),
    Mutation("first state that matches nothing", checks_starts.first_state, ("_next_status",), "when p_fresh then '?'", "when p_fresh then 'R'"),
    Mutation("own jobs leave the pool", checks_many.own_jobs_leave, ("_settle",),
             "j.id = any (array(select s.job_id from unnest(p_steps) s))", "false"),
    Mutation("answer to a repeated result", checks_results.repeated_result, ("_complete_one",),
             "if v_why.code in ('WD102', 'WD105', 'WD205', 'WD211') then", "if false then"),
    Mutation("repeated result with other values", checks_results.other_result, ("_complete_one",),
             "and wedsql._same_result(p_flow, p_changes, p_set, t)", ""),
    Mutation("time as the transaction commits", checks_results.late_commit, statement="drop trigger in_time on wedsql.commit_by"),
    Mutation("failures of held jobs only", checks_results.held_failure, ("fail_many",), "wedsql._holds(j.wid, j.tgid)", "true"),
    Mutation("one statement writes one instance", checks_paper.one_instance, ("_paper_update",),
             "perform wedsql._one_instance(tg_table_schema, new.wid);", ""),
    Mutation("an item of the reaper fails alone", checks_reaper.reaper_isolates, ("_reap_item",),
             "exception when query_canceled or others then", "exception when data_corrupted then"),
    Mutation("key of a start", checks_starts.key_once, statement="drop index wedsql.instance_key"),
    Mutation("number of a refused start", checks_starts.number_of_a_refused_start, ("_gen_start",), "when v_none then - v_ord", "when false then - v_ord"),
    Mutation("number of a start whose key is known", checks_starts.number_of_a_known_key, ("_check_keys",),
             "i.key = any (p_keys)", "false"),
    Mutation("attempts come to an end", checks_results.attempts_end, ("fail_many",), "if v_job.spent then", "if false then"),
    Mutation("reaper gives expired leases back", checks_reaper.reaper_returns, ("_due_items",), "j.lease_until <= p_now", "false"),
    Mutation("clock set back: leases go back with it", checks_clock.clock_back, ("_plan_back",), "lease_until = j.lease_until - p_back, ", ""),
    Mutation("clock put right: the timers that it set go back with it", checks_clock.timer_of_a_wrong_clock, ("_timers_back",), "x.due_at - p_back", "x.due_at"),
    Mutation("clock set back: timers wait for the time that was right", checks_clock.timer_of_the_right_clock, ("_reap_clock",),
             "then v_beat.ahead_from + v_back end", "then v_beat.ahead_from + v_back else '-infinity' end"),
    Mutation("nothing is started on a nearly full disk", checks_starts.little_room, ("_room",), "d.free < d.total / 20", "false"),
    Mutation("trigger of the paper's UPDATE", checks_paper.paper_lock, ("_guard_flow",),
             "create trigger c_update after update on %1$I.wed_flow for each row when (current_user <> 'wed_owner'::text)",
             "create trigger c_update after update on %1$I.wed_flow for each row when (false)"),
    Mutation("trigger of the paper's INSERT", checks_paper.paper_insert, ("_guard_flow",),
             "create trigger b_insert after insert on %1$I.wed_flow for each row when (current_user <> 'wed_owner'::text)",
             "create trigger b_insert after insert on %1$I.wed_flow for each row when (false)"),
    Mutation("lock of the session is told from one of the transaction", checks_paper.paper_session_lock, ("_paper_in_time",),
             "if (p_held or wedsql._may_lock_by_session()) and wedsql._holds_by_session(p_job.wid, p_job.tgid) then", "if false then"),
    Mutation("instances are never deleted", checks_paper.never_deleted, ("_guard_flow",),
             "for each statement when (current_user <> 'wed_owner'::text) execute function wedsql._never()",
             "for each statement when (false) execute function wedsql._never()"),
    Mutation("re-match when a definition changes", checks_definitions.definition_rematches, statement="drop trigger d_commit on wedsql.trig"),
    Mutation("trigger with pending work stays", checks_definitions.pending_trigger_stays, statement="drop trigger a_delete on wedsql.trig"),
    Mutation("lexer: bounds of a pattern", checks_definitions.dangerous_pattern, ("pattern_problem",),
             "if length(p_pattern) > 200 then", "return null; if length(p_pattern) > 200 then"),
    Mutation("lexer: closed vocabulary", checks_definitions.closed_vocabulary, ("refuse_word",), "begin", "begin return;"),
    Mutation("predicates are evaluated without rights", checks_definitions.powerless_matcher,
             statement="grant create on schema wed_match to wed_owner;"
        " alter function wed_match.compile(integer, text, text, text, text) owner to wed_owner"),
    Mutation("a failing predicate blocks nobody", checks_definitions.failing_predicate, ("_matcher",),
             "exception when others then", "exception when data_corrupted then"),
]  # fmt: skip
