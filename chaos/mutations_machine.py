"""Guards whose loss only an order of calls shows: `python -m chaos.mutate --machine` lets the state machine find it."""

# ruff: noqa: E501 - lists of texts read best one a line

from __future__ import annotations

from chaos.checks_machine import finds
from chaos.mutate import Mutation

MUTATIONS = [
    Mutation("a stale timer is no pending work", finds("lost", "change_predicate"), ("_rematch_some",),
             "x.wid = t.wid and x.tgid = any (t.matched)) as timed", "x.wid = t.wid) as timed"),
    Mutation("a re-match deletes stale timers", finds("stale timer", "change_predicate"), ("_rematch_some",),
             "x.wid = t.wid and x.tgid <> all (t.matched)", "x.wid = t.wid and false"),
    Mutation("a due attribute that is null has no timer", finds("due attribute is null"), ("_apply_timers",),
             "t.due_attr is not null and p_step.state ->> t.due_attr is null))", "false))"),
    Mutation("what runs again has no _EXCPT job", finds("ghost exception", "fail_at_once", "withdraw", "change_option", "delete_trigger"),
             ("_settle",), "elsif v_was = 'E' then", "elsif false then"),
    Mutation("what is parked no longer is no exception", finds("false exception|ghost|re-match", "fail_at_once", "withdraw", "rematch"),
             ("_rematch_some",), "or (x.live or x.timed) and not x.parked", ""),
]  # fmt: skip
