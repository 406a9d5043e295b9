"""Hooks: the kernel runs without any capability, and calls what a capability defines for a hook."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from flows import api, kernel
from flows.errors import WorkerKeyNeeded
from flows.tests.database.test_tables import installation

DEFINITION = {
    "attributes": [{"name": "a", "default": "1"}],
    "triggers": [
        {"transition": "tr_x", "predicate": "a = '1'"},
        {"final": True, "predicate": "a = '2'"},
    ],
}
NOTES = """
create or replace function wedsql._on_reads_notes(p_flow integer, p_wid integer) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select p_wid = current_setting('test.noted')::integer
$$;
create or replace function wedsql._on_dropped_notes(p_name text) returns void
language sql set search_path = pg_catalog, pg_temp as $$ select set_config('test.dropped', p_name, false) $$;
create or replace function wedsql._on_maintain_notes() returns jsonb
language sql set search_path = pg_catalog, pg_temp as $$ select '{"notes_removed": 7}'::jsonb $$;
"""
REAPED = """
create or replace function wedsql._on_reap_parts_notes() returns jsonb
language sql set search_path = pg_catalog, pg_temp as $$ select '{"old_notes": true}'::jsonb $$;
create or replace function wedsql._on_reap_part_notes(p_part text, p_now timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp as $$
select set_config('test.part', p_part, false) where p_part = 'old_notes'
$$;
create or replace function wedsql._on_reap_kinds_notes() returns jsonb
language sql set search_path = pg_catalog, pg_temp as $$ select '{"notes": 0}'::jsonb $$;
create or replace function wedsql._on_may_be_due_notes(p_flow integer, p_now timestamptz) returns boolean
language sql set search_path = pg_catalog, pg_temp as $$ select true $$;
create or replace function wedsql._on_due_items_notes(p_flow integer, p_kind text, p_now timestamptz)
returns refcursor language plpgsql set search_path = pg_catalog, pg_temp as $$
declare v_due refcursor;
begin open v_due for select 0 as wid, n::bigint as item from generate_series(1, 3) n; return v_due; end $$;
create or replace function wedsql._on_reap_item_notes(p_flow wedsql.flow, p_kind text, p_item bigint,
  p_now timestamptz) returns boolean
language sql set search_path = pg_catalog, pg_temp as $$ select p_kind = 'notes' and p_item <> 2 $$;
"""
NAMED = "select count(*)::integer from pg_proc where prosrc like %s or proname like %s"
Installed = psycopg.Connection[Any]


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installed]:
    """A database with the kernel and no capability; a test adds one, and removes it."""
    with installation(capabilities=tmp_path_factory.mktemp("none")) as connection:
        yield connection


def value(connection: Installed, query: str, *given: Any) -> Any:
    return connection.execute(query, given).fetchone()[0]  # type: ignore[index]


def reinstall(connection: Installed, place: Path, text: str) -> None:
    """Install the kernel with a capability of this SQL."""
    folder = place / "notes" / "sql"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "01_notes.sql").write_text(text)
    with connection.transaction(), connection.cursor() as cursor:
        kernel.write(cursor, capabilities=place)


def ended(connection: Installed, flow: str) -> int:
    """Return an instance of a new flow that has ended, and may be removed."""
    api.flows.create(flow, conn=connection)
    api.flows.publish(flow, DEFINITION, conn=connection)
    connection.execute("update wedsql.flow set retention = '1 day' where name = %s", [flow])
    wid = api.instances.start(flow, conn=connection)
    (job,) = api.jobs.lease_many(flow, ["tr_x"], 1, "test", conn=connection)
    api.jobs.complete(job, {"a": "2"}, conn=connection)
    connection.execute("update wedsql.instance set finished_at = finished_at - interval '2 days'")
    return wid


def test_the_kernel_runs_without_capabilities(bare: Installed) -> None:
    assert value(bare, NAMED, "%webhooks%", "%webhooks%") == 0
    wid = ended(bare, "plain")
    assert value(bare, "select status from wedsql.instance where wid = %s", wid) == "F"
    assert value(bare, "select wedsql.retire('plain', %s)", [wid]) == 1
    assert value(bare, "select bool_and(ok) from wedsql.invariants()") is True
    assert value(bare, "select bool_or(name = 'I9') from wedsql.invariants()") is False


def test_messages_need_no_capability_that_queues_them(bare: Installed, tmp_path: Path) -> None:
    shutil.copytree(kernel.CAPABILITIES / "alerts" / "sql", tmp_path / "alerts" / "sql")
    with bare.transaction(), bare.cursor() as cursor:
        kernel.write(cursor, capabilities=tmp_path)
    assert value(bare, NAMED, "%webhooks%", "%webhooks%") == 0
    assert value(bare, "select wedsql.take_delivery('1 minute')") is None


def test_a_capability_takes_part_by_its_functions(bare: Installed, tmp_path: Path) -> None:
    reinstall(bare, tmp_path, NOTES)
    wid = ended(bare, "noted")
    bare.execute("select set_config('test.noted', %s, false)", [str(wid)])
    assert value(bare, "select wedsql.retire('noted', %s)", [wid]) == 0
    assert value(bare, "select wedsql.maintain()")["notes_removed"] == 7
    bare.execute("select wedsql.drop_flow('noted', true)")
    assert value(bare, "select current_setting('test.dropped')") == "noted"

    reinstall(bare, tmp_path, "")
    assert "notes_removed" not in value(bare, "select wedsql.maintain()")
    assert value(bare, NAMED, "%notes%", "%notes%") == 0


def test_a_capability_has_parts_and_kinds_of_a_round_of_the_reaper(bare: Installed, tmp_path: Path) -> None:
    reinstall(bare, tmp_path, "")
    assert set(value(bare, "select wedsql.reap()")) == {"ended", "expired", "timers", "late", "starts"}
    reinstall(bare, tmp_path, REAPED)
    api.flows.create("reaped", conn=bare)
    value(bare, "select wedsql.reap()")  # it adds the row by which one reaper works on the new flow
    flows = value(bare, "select count(*)::integer from wedsql.flow")
    assert value(bare, "select wedsql.reap()")["notes"] == 2 * flows
    assert value(bare, "select current_setting('test.part')") == "old_notes"


def test_without_keys_no_job_of_a_flow_that_requires_them_is_taken(bare: Installed, tmp_path: Path) -> None:
    reinstall(bare, tmp_path, "")
    api.flows.create("keyed", conn=bare)
    api.flows.publish("keyed", DEFINITION | {"worker_keys": True}, conn=bare)
    api.instances.start("keyed", conn=bare)
    assert value(bare, "select wedsql.may_work('keyed', 'tr_x')") is False
    with pytest.raises(WorkerKeyNeeded):
        api.jobs.lease_many("keyed", ["tr_x"], 1, "test", conn=bare)


@pytest.mark.parametrize(
    "wrong", ["_on_read_notes(p_flow integer, p_wid integer)", "_on_reads_notes(p_wid integer)"]
)
def test_a_function_that_no_hook_calls_is_refused(bare: Installed, tmp_path: Path, wrong: str) -> None:
    text = f"create or replace function wedsql.{wrong} returns boolean language sql as 'select true'"
    with pytest.raises(psycopg.Error, match="no hook of this name and type"):
        reinstall(bare, tmp_path, text)
