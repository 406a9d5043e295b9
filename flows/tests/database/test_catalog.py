"""Owners, privileges and settings of every function, table and guard trigger of the kernel."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from flows import api

pytestmark = pytest.mark.kernel
Connect = Callable[..., psycopg.Connection[Any]]


@pytest.fixture
def defined(connect: Connect) -> Iterator[str]:
    """A flow with a trigger, dropped after the test."""
    name = f"r_{uuid.uuid4().hex[:12]}"
    admin = connect()
    api.flows.create(name, conn=admin)
    trigger = {"transition": "tr_x", "predicate": "a = '1'"}
    api.flows.publish(name, {"attributes": [{"name": "a"}], "triggers": [trigger]}, conn=admin)
    yield name
    api.flows.drop(name, force=True, conn=admin)


def test_catalog_every_function_is_pinned_and_closed(connect: Connect, defined: str) -> None:
    admin = connect()
    found = admin.execute(
        "select p.oid::regprocedure::text, n.nspname, p.proowner::regrole::text,"
        " p.prosecdef, coalesce(p.proconfig::text, ''),"
        " has_function_privilege('public', p.oid, 'execute'),"
        " p.proname in ('now', '_next_status', 'state_limit', 'field_of', '_microseconds', '_moment',"
        " '_kind', 'close_problem', 'next_phase', '_is_final', '_fires', '_suppressed', '_finished_at',"
        " '_may_exceed_limit', '_has_due_time', '_spans', '_figure_bucket', 'last_step', 'search_from',"
        " 'living_until', '_by_worker', '_excludes', '_tasks_of', '_open_tasks_of',"
        " '_tasks_numbered', '_acts', '_is_rematched', '_data_sizes',"
        " '_conclude', '_exception_reason', '_own_payload')"
        " or starts_with(p.proname, '_call_')"
        " or p.oid::regprocedure::text in ('wed_match.moment(anyelement)', 'wed_match.zone(anyelement)')"
        " from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname"
        " in ('wedsql', 'wed_match', %s)",
        [defined],
    ).fetchall()
    assert len(found) > 100
    for name, schema, owner, definer, config, public, inlined in found:
        powerless = schema == "wed_match" or name in {
            "plan_error(text)",
            "is_never_true(text)",
            "type_of(text,text)",
            "parse_tree(text)",
            "written_query(text)",
            "compute_error(text)",
            "types_of(text[],text)",
        }
        assert owner == ("wed_eval" if powerless else "wed_owner"), name
        assert "search_path=pg_catalog, pg_temp" in config or inlined, f"{name} has no search_path of its own"
        assert not public or name == "now()" or name.endswith(".now()"), f"everybody may call {name}"
        assert definer or not powerless or inlined, f"{name} would run with the caller's rights"


def test_catalog_every_guard_is_on_and_owned(connect: Connect, defined: str) -> None:
    admin = connect()
    guards = admin.execute(
        "select tgname, tgenabled::text from pg_trigger where tgrelid = %s::regclass and"
        " not tgisinternal order by 1",
        [f"{defined}.wed_flow"],
    ).fetchall()
    names = ("a_room", "a_wid", "b_insert", "c_update", "d_delete", "e_truncate")
    assert guards == [(name, "O") for name in names]
    owners = admin.execute(
        "select distinct c.relkind = 'v', c.relowner::regrole::text from pg_class c"
        " where c.relnamespace = %s::regnamespace order by 1",
        [defined],
    ).fetchall()
    assert owners == [(False, "wed_owner"), (True, "wed_view")]
    writable = admin.execute(
        "select r, t from unnest(array['wed_web', 'wed_worker', 'wed_reaper', 'wed_monitor']) r,"
        " unnest(array['instance', 'job_pool', 'wed_trace', 'job_log', 'timer', 'flow_version']) t"
        " where has_table_privilege(r, 'wedsql.' || t, 'insert, update, delete, truncate, trigger')"
    ).fetchall()
    assert writable == []
