"""Kernel fixes that a sequence of calls can test: the changes that undo them, and rules to search with."""

# ruff: noqa: E501 - lists of texts are easier to read with one item per line

from __future__ import annotations

from chaos.machine import RemovedFix
from chaos.mutation import Change

LATER = {"due_after": "2 minutes"}
AT_D = {"due_attr": "d"}
AT_E = {"due_attr": "e"}
ONCE = {"max_attempts": 1}
FAILING = {"on_error": "false", "predicate": "1 / c = 1 or c < 3"}


def _in(function: str, old: str, new: str = "") -> Change:
    return Change((function,), old, new)


def _setting(function: str, name: str, value: str) -> Change:
    """Return a change that removes a pinned setting from a function, so that the session's applies."""
    return _in(function, f" SET \"{name}\" TO '{value}'\n")


_CATCHES = "exception when query_canceled or others then"
_NEVER = "exception when data_corrupted then"
_NO_ISOLATION = _in("_reap_item", _CATCHES, _NEVER)

MUTATIONS = [
    # -- the re-match
    RemovedFix("a stale timer is no pending work", "^lost", ("step", "tick", "change_predicate"),
           (_in("_rematch_some", "and x.tgid = any (t.matched)) as timed", ") as timed"),), [LATER]),
    RemovedFix("a re-match deletes stale timers", "^(stale timer|lost)", ("step", "tick", "change_predicate"),
           (_in("_rematch_some", "x.wid = t.wid and x.tgid <> all (t.matched)", "false"),), [LATER]),
    RemovedFix("what is parked no longer is no exception", "^false exception", ("fail_at_once", "step_beside", "withdraw", "change_predicate"),
           (_in("_rematch_some", "or (x.live or x.timed) and not x.parked"),), [ONCE]),
    RemovedFix("what runs again has no _EXCPT job, after a step", "^(ghost exception|work on ended)", ("fail_at_once", "step_beside"),
           (_in("_settle", "elsif v_was = 'E' then", "elsif false then"),), [ONCE | {"revalidate": "withdraw"}]),
    RemovedFix("what runs again has no _EXCPT job, after a re-match", "^ghost exception", ("fail_at_once", "step_beside", "withdraw"),
           (_in("_settle", "elsif v_was = 'E' then", "elsif false then"),
            _in("_settle_counted", "where j.wid = s.wid and j.tgid = 0\n", "where false\n")), [ONCE]),
    # -- due times
    RemovedFix("a due attribute that is null has no timer", "^(stale timer: due|lost)", ("step", "step_beside"),
           (_in("_apply_timers", "p_step.state ->> t.due_attr is null))", "false))"),), [AT_D]),
    RemovedFix("a due attribute that moved moves its timer", "^moved timer", ("step", "step_beside"),
           (_in("_apply_timers", "is not null;\n  p_step.matched", "is not null and false;\n  p_step.matched"),), [AT_D]),
    RemovedFix("a changed due_after moves its timers", "^timer of another due time", ("change_due_after",),
           (_in("_trig_touch", "(new.due_attr, new.due_after) is distinct from (old.due_attr, old.due_after)", "false"),), [LATER]),
    RemovedFix("a trigger without a due time has no timers", "^stale timer: no due", ("change_due_after",),
           (_in("_derive", "or t.due_attr is null and t.due_after is null"),), [LATER]),
    # -- settings of sessions
    RemovedFix("a date is due at its first moment in UTC", "^moved timer", ("change_setting", "step", "withdraw", "change_predicate"),
           (_setting("_prepare", "TimeZone", "UTC"), _setting("_due_at", "TimeZone", "UTC")), [AT_E]),
    # -- the reaper
    RemovedFix("a longest pick-up deadline", "^due and left over", ("extreme_option", "tick", "reap"),
           (_in("_check_options", "perform wedsql._check_spans('trig', p_trig);"),
            _in("_late", "least(p_deadline, wedsql._longest())", "p_deadline")), [{"pickup_deadline": "10 minutes"}]),
    RemovedFix("a longest back-off", "^(error|due and left over)", ("extreme_option", "fail_at_once", "tick", "reap"),
           (_in("_check_options", "perform wedsql._check_spans('trig', p_trig);"),
            _in("_backoff", "least(p_base, interval '1 hour')", "p_base")), [{}]),
    RemovedFix("a locked table stops no other flow", "^round ended by", ("tick", "reap_beside_a_locked_table"),
           (_in("_reap_flow", "exception when lock_not_available or undefined_table then", "exception when undefined_table then"),), [LATER]),
    RemovedFix("a locked instance hides no other", "^due and left over", ("lease", "tick", "reap_beside_a_lock"),
           (_in("_reap_kind", "if wedsql._reap_item(p_flow, p_kind, v_item.wid, v_item.item, p_now) then",
                "perform wedsql._reap_item(p_flow, p_kind, v_item.wid, v_item.item, p_now);\n    if true then"),), [LATER]),
    RemovedFix("what fails of one instance stops no other", "^due and left over", ("tick", "reap_beside_a_poisoned"),
           (_NO_ISOLATION,), [LATER]),
    RemovedFix("what fails in one flow ends no round", "^round ended by", ("tick", "reap_beside_a_poisoned"),
           (_NO_ISOLATION, _in("_reap_flow", "exception when others then", _NEVER)), [LATER]),
    RemovedFix("attempts do not overflow", "^error WD003", ("fail_at_once", "wear_out"),
           (_in("_one_more", "least(p_attempts + 1, 32767)", "(p_attempts + 1)"),), [ONCE]),
    RemovedFix("an instance that was repaired may fire again as often", "^repaired and parked", ("step", "repair_loop"),
           (_in("_check_firing_limit", "x.seq >= v_repaired and"),), [{"max_firings": 1}]),
    # -- results
    RemovedFix("a result in time that is committed late", "^late commit", ("commit_late",),
           (Change(statement="drop trigger in_time on wedsql.commit_by"),)),
    RemovedFix("two claims of one instance have two results", "^a result without an answer", ("complete_together",),
           (_in("_gen_complete", "cardinality(p_job_ids) = (select count(distinct u.wid) from unnest(p_wids) u (wid))", "true"),)),
    RemovedFix("another result for the same claim is rejected", "^another result got", ("lease", "complete_and_change"),
           (_in("_complete_one", "and wedsql._same_result(p_flow, p_changes, p_set, t)"),)),
    RemovedFix("a failure counts only for the holder of the job", "^a failure of a job that is not held", ("fail_of_nobody",),
           (_in("fail_many", "and (u.claim is not null or wedsql._holds(j.wid, j.tgid))"),)),
    RemovedFix("failed conditions of two instances are noted apart", "^waits for another", ("side_by_side",),
           (_in("_with_errors", "insert into wedsql.condition_failure (tgid, flow_id, at, sqlstate, message, wid)\n  select (e ->> 'tgid')::integer, p_flow.id, p_now,",
                "insert into wedsql.condition_error_sum as s (tgid, flow_id, n, last_at, sqlstate, message, wid)\n  select (e ->> 'tgid')::integer, p_flow.id, 1, p_now,"),
            _in("_with_errors", "from jsonb_array_elements(v_errors) e;\n  p_step.errors",
                "from jsonb_array_elements(v_errors) e\n  on conflict (tgid) do update set n = s.n + 1;\n  p_step.errors")), [FAILING]),
    # -- definitions
    RemovedFix("numbers are the kernel's to give", "chosen number", ("insert_numbered_trigger", "insert_numbered_attribute"),
           (_in("_next_number", "if p_given is not null then", "if p_given is not null then\n    return p_given;"),)),
    RemovedFix("a name that was taken over is another trigger's", "^not what was published", ("publish_odd",),
           (_in("_trigger_pairs", "array['number', ", "array["),)),
    RemovedFix("no two attributes have one name", "^(a duplicate attribute|not what was published)", ("publish_odd",),
           (_in("_check_definition", "perform wedsql._check_twice(p_definition);"),)),
    RemovedFix("attributes may exchange their names", "^swapped names", ("publish_swapped", "step"),
           (_in("_apply_renames", "not exists (select 1 from wedsql.attr a\n                      where a.flow_id = p_flow and a.aname = t.value and v_todo ? a.aid::text)", "true"),)),
    RemovedFix("a transition that changed its name is offered by it", "^stranded job", ("rename_transition",),
           (_in("_trig_touch", "update wedsql.job_pool j set trname = new.trname where", "update wedsql.job_pool j set trname = new.trname where false and"),)),
    # -- clients of the paper
    RemovedFix("one UPDATE writes one instance", "^one update over two", ("two_at_once",),
           (_in("_paper_update", "perform wedsql._one_instance(tg_table_schema, new.wid);"),)),
    RemovedFix("an UPDATE in time that is committed late", "^late commit of an update", ("paper_late",),
           (_in("_paper_update", "where v_job.lease_until is not null;", "where false;"),)),
    RemovedFix("an UPDATE for a stale job is rejected", "^stale job by an update", ("paper_step", "step"),
           (_in("_paper_update", "perform wedsql._check_not_stale(v_job, v_matched);"),), [{"revalidate": "at_take"}]),
    RemovedFix("a job that was rejected as stale is dropped", "^a stale job stays", ("paper_step", "step"),
           (_in("_check_not_stale", "perform wedsql._note_refusal(p_job.wid, p_job.id, true);"),), [{"revalidate": "at_take"}]),
    RemovedFix("an UPDATE rejected for pending work is recorded", "^a refusal is forgotten", ("paper_step", "step"),
           (_in("_refuse", "perform wedsql._note_refusal(p_wid, v_step.job_id, false);"),), [{}]),
]  # fmt: skip
