"""Kernel fixes that a sequence of calls can test: the changes that undo them, and rules to search with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chaos.machine import RemovedFix
from chaos.mutants.mutation import Change
from flows.tests.model import families

Themes = Sequence[dict[str, Any]]
LATER = {"due_after": "2 minutes"}
AT_D = {"due_attr": "d"}
AT_E = {"due_attr": "e"}
ONCE = {"max_attempts": 1}
# Rules with which children are started and end, and what leads to a state of theirs.
TREES = "start_children continue_children serve_child operate_tree decide_children much_later"
FAILING = {"on_error": "false", "predicate": "1 / c = 1 or c < 3"}


def _fix(fix: str, kind: str, rules: str, themes: Themes, *changes: Change) -> RemovedFix:
    return RemovedFix(fix, kind, tuple(rules.split()), changes, themes)


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
    _fix("a stale timer is no pending work", "^lost", "step tick change_predicate", [LATER],
        _in("_rematch_some", "and x.tgid = any (t.matched)) as timed", ") as timed")),
    _fix("a re-match deletes stale timers", "^(stale timer|lost)", "step tick change_predicate", [LATER],
        _in("_rematch_some", "x.wid = t.wid and x.tgid <> all (t.matched)", "false")),
    _fix("what is parked no longer is not an exception", "^false exception",
        "fail_at_once step_beside withdraw change_predicate", [ONCE],
        _in("_is_rematched", "or (p_live or p_timed) and not p_parked")),
    _fix("what runs again has no _EXCPT job, after a step", "^(ghost exception|work on ended)",
        "fail_at_once step_beside", [ONCE | {"revalidate": "withdraw"}],
        _in("_settle", "elsif v_was = 'E' then", "elsif false then")),
    _fix("what runs again has no _EXCPT job, after a re-match", "^ghost exception",
        "fail_at_once step_beside withdraw", [ONCE],
        _in("_settle", "elsif v_was = 'E' then", "elsif false then"),
        _in("_settle_counted", "where j.wid = s.wid and j.tgid = 0\n", "where false\n")),
    # -- the re-match in batches
    _fix("what lost its last job is re-matched with the publication", "^lost",
        "step publish_in_batches", [{}], _in("_settle_without_work", "where p_search", "where false")),
    _fix("a batch fires what holds", "^(condition without job|final not reached)",
        "step publish_in_batches continue_rematches", [{}],
        _in("_to_settle_of", "not l.matched <@ l.jobs", "false")),
    _fix("a batch is made of the next instances", "^(condition without job|final not reached)",
        "step publish_in_batches continue_rematches", families.THEMES,
        _in("_keep_progress", "set position = p_run.position", "set position = p_run.last_wid")),
    # -- due times
    _fix("a due attribute that is null has no timer", "^(stale timer: due|lost)", "step step_beside", [AT_D],
        _in("_hold_back", "wedsql._due_at(v_rule, p_situation.state, p_situation.at));",
            "coalesce(wedsql._due_at(v_rule, p_situation.state, p_situation.at), "
            "(p_situation.timers ->> v_rule.tgid::text)::timestamptz));")),
    _fix("a due attribute that moved moves its timer", "^moved timer", "step step_beside", [AT_D],
        _in("_hold_back", "case when v_rule.due_attr is null\n", "case when true\n")),
    _fix("a changed due_after moves its timers", "^timer of another due time", "change_due_after", [LATER],
        _in("_trig_touch", "(new.due_attr, new.due_after) is distinct from (old.due_attr, old.due_after)",
            "false")),
    _fix("a trigger without a due time has no timers", "^stale timer: no due", "change_due_after", [LATER],
        _in("_derive", "or t.due_attr is null and t.due_after is null")),
    # -- settings of sessions
    _fix("a date is due at its first moment in UTC", "^moved timer",
        "change_setting step withdraw change_predicate", [AT_E], _setting("_prepare", "TimeZone", "UTC"),
        _setting("_due_at", "TimeZone", "UTC")),
    # -- the reaper
    _fix("a longest pick-up deadline", "^due and left over", "extreme_option tick reap",
        [{"pickup_deadline": "10 minutes"}],
        _in("_check_references", "perform wedsql._check_spans('trig', p_trig);"),
        _in("_late", "least(p_deadline, wedsql._longest())", "p_deadline")),
    _fix("a longest back-off", "^(error|due and left over)", "extreme_option fail_at_once tick reap", [{}],
        _in("_check_references", "perform wedsql._check_spans('trig', p_trig);"),
        _in("_backoff", "least(p_base, interval '1 hour')", "p_base")),
    _fix("a locked table stops no other flow", "^round ended by", "tick reap_beside_a_locked_table", [LATER],
        _in("_reap_flow", "exception when others then", "exception when undefined_table then"),
        _in("_reap_flow_or_note", "exception when query_canceled or others then", _NEVER)),
    _fix("a locked instance hides no other", "^due and left over", "lease tick reap_beside_a_lock", [LATER],
        _in("_reap_kind", "if wedsql._reap_item(p_flow, p_kind, v_item.wid, v_item.item, p_now) then",
            "perform wedsql._reap_item(p_flow, p_kind, v_item.wid, v_item.item, p_now);\n"
            "    if true then")),
    _fix("what fails of one instance stops no other", "^due and left over", "tick reap_beside_a_poisoned",
        [LATER], _NO_ISOLATION),
    _fix("what fails in one flow ends no round", "^round ended by", "tick reap_beside_a_poisoned", [LATER],
        _NO_ISOLATION, _in("_reap_flow", "exception when query_canceled or others then", _NEVER),
        _in("_reap_flow_or_note", "exception when query_canceled or others then", _NEVER)),
    _fix("attempts do not overflow", "^error WD003", "fail_at_once wear_out", [ONCE],
        _in("_one_more", "least(p_attempts + 1, 32767)", "(p_attempts + 1)")),
    _fix("an instance that was repaired may fire again as often", "^repaired and parked", "step repair_loop",
        [{"max_firings": 1}], _in("_check_firing_limit", "x.seq >= v_repaired and")),
    # -- results
    _fix("a result in time that is committed late", "^late commit", "commit_late", families.THEMES,
        Change(statement="drop trigger in_time on wedsql.commit_by")),
    _fix("two claims of one instance have two results", "^a result without an answer", "complete_together",
        families.THEMES,
        _in("_gen_complete",
            "cardinality(p_job_ids) = (select count(distinct u.wid) from unnest(p_wids) u (wid))", "true")),
    _fix("another result for the same claim is rejected", "^another result got", "lease complete_and_change",
        families.THEMES, _in("_complete_one", "and wedsql._same_result(p_flow, p_changes, p_set, t)")),
    _fix("a failure counts only for the holder of the job", "^a failure of a job that is not held",
        "fail_of_nobody", families.THEMES,
        _in("fail_many", "and (u.claim is not null or wedsql._holds(j.wid, j.tgid))")),
    _fix("failed conditions of two instances are noted apart", "^waits for another", "side_by_side",
        [FAILING],
        _in("_with_errors",
            "insert into wedsql.condition_failure (tgid, flow_id, at, sqlstate, message, wid)\n"
            "  select (e ->> 'tgid')::integer, p_flow.id, p_now,",
            "insert into wedsql.condition_error_sum as s"
            " (tgid, flow_id, n, last_at, sqlstate, message, wid)\n"
            "  select (e ->> 'tgid')::integer, p_flow.id, 1, p_now,"),
        _in("_with_errors", "from jsonb_array_elements(v_errors) e;\n  p_step.errors",
            "from jsonb_array_elements(v_errors) e\n" "  on conflict (tgid) do update set n = s.n + 1;\n"
            "  p_step.errors")),
    # -- definitions
    _fix("numbers are the kernel's to give", "chosen number",
        "insert_numbered_trigger insert_numbered_attribute", families.THEMES,
        _in("_next_number", "if p_given is not null then",
            "if p_given is not null then\n    return p_given;")),
    _fix("a name that was taken over is another trigger's", "^not what was published", "publish_odd",
        families.THEMES, _in("_trigger_pairs", "array['number', ", "array[")),
    _fix("no two attributes have one name", "^(a duplicate attribute|not what was published)", "publish_odd",
        families.THEMES, _in("_check_definition", "perform wedsql._check_twice(p_definition);")),
    _fix("attributes may exchange their names", "^swapped names", "publish_swapped step", families.THEMES,
        _in("_apply_renames", "not exists (select 1 from wedsql.attr a\n"
            "                      where a.flow_id = p_flow and a.aname = t.value and v_todo ? a.aid::text)",
            "true")),
    _fix("a transition that changed its name is offered by it", "^stranded job", "rename_transition",
        families.THEMES,
        _in("_trig_touch", "where j.flow_id = new.flow_id and j.tgid = new.tgid and not",
            "where false and j.flow_id = new.flow_id and j.tgid = new.tgid and not")),
    # -- child instances
    _fix("no worker takes a job that starts children", "^a worker may take", TREES, [{}],
        _in("_keep_children", "set assigned_to = ''", "set assigned_to = null")),
    _fix("a job over the firing limit starts children", "^a job of children is not known", TREES,
        families.THEMES, _in("_keep_children", "in ('P', 'K')", "= 'P'")),
    _fix("an exception that counted as failed counts once", "^counters differ", TREES, [ONCE],
        _in("_note_ends", "when 'X' then 'C'", "when 'X' then 'E'")),
    _fix("an end that no step made is noted", "^an end that is not noted", TREES, [{}],
        _in("_keep_family", "select wedsql._note_ends(p_wids);")),
    # -- clients of the paper
    _fix("one UPDATE writes one instance", "^one update over two", "two_at_once", families.THEMES,
        _in("_paper_update", "perform wedsql._one_instance(tg_table_schema, new.wid);")),
    _fix("an UPDATE in time that is committed late", "^late commit of an update", "paper_late",
        families.THEMES, _in("_paper_update", "where v_job.lease_until is not null;", "where false;")),
    _fix("an UPDATE for a stale job is rejected", "^stale job by an update", "paper_step step",
        [{"revalidate": "at_take"}],
        _in("_paper_update", "perform wedsql._check_not_stale(v_job, v_matched);")),
    _fix("a job that was rejected as stale is dropped", "^a stale job stays", "paper_step step",
        [{"revalidate": "at_take"}],
        _in("_check_not_stale", "perform wedsql._note_refusal(p_job.wid, p_job.id, true);")),
    _fix("an UPDATE rejected for pending work is recorded", "^a refusal is forgotten", "paper_step step",
        [{}], _in("_refuse", "perform wedsql._note_refusal(p_wid, v_step.job_id, false);")),
]  # fmt: skip
