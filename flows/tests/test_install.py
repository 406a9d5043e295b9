"""Every installation gives the same schema: twenty at once, twice in a row, with and without Django.

The diffs of flows/schema.sql and schema.txt show how a change of the kernel affects tables, privileges
and signatures. `make schema` writes both.
"""

from __future__ import annotations

import os
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import psycopg
import pytest

from flows.tests import table_schema
from testkit import cases, kernel_db
from testkit.waiting import until

pytestmark = pytest.mark.kernel
# A long run has more, to meet in more ways.
MANY = 20 if cases.long() else 6
SCHEMA = Path(__file__).parent / "schema.txt"

# What only numbered changes make; flows/schema.sql has it.
SHAPES = ("table", "unlogged table", "constraint", "index", "sequence")
INVENTORY = Path(__file__).parent / "sql" / "inventory.sql"
ONLY_OURS = "and c.relowner = 'wed_owner'::regrole"
ONLY_CONSTRAINTS = (
    "and exists (select 1 from pg_class o where o.oid = c.conrelid and o.relowner = 'wed_owner'::regrole)"
)


def inventory(connection: psycopg.Connection) -> str:
    """Return a description of all objects of the kernel in the database, in a stable order."""
    connection.execute("set search_path = pg_catalog")
    text = INVENTORY.read_text(encoding="utf-8")
    query = text.replace("{only_constraints}", ONLY_CONSTRAINTS).replace("{only}", ONLY_OURS)
    rows = connection.execute(query).fetchall()  # type: ignore[call-overload]
    return "".join(f"{kind} {name}: {' '.join(what.split())}\n" for kind, name, what in sorted(rows))


def test_fresh_schema_is_the_one_in_the_repository() -> None:
    with kernel_db.database(fake_clock=False) as uri, psycopg.connect(uri) as connection:
        lines = inventory(connection).splitlines(keepends=True)
    fresh = "".join(line for line in lines if not line.startswith(SHAPES))
    if os.environ.get("WEDSQL_WRITE_SCHEMA"):
        SCHEMA.write_text(fresh, encoding="utf-8")
    recorded = SCHEMA.read_text(encoding="utf-8")
    assert fresh.splitlines() == recorded.splitlines(), "if this is intended, run `make schema`"


def test_the_schema_for_readers_is_what_the_changes_make() -> None:
    with kernel_db.database(fake_clock=False) as uri, psycopg.connect(uri) as connection:
        fresh = table_schema.schema(connection)
    if os.environ.get("WEDSQL_WRITE_SCHEMA"):
        table_schema.FILE.write_text(fresh, encoding="utf-8")
    recorded = table_schema.FILE.read_text(encoding="utf-8")
    assert fresh.splitlines() == recorded.splitlines(), "if this is intended, run `make schema`"


def test_the_schema_for_readers_can_be_executed() -> None:
    text = table_schema.FILE.read_text(encoding="utf-8")
    with kernel_db.empty_database() as uri, psycopg.connect(uri) as connection:
        connection.execute("create schema wedsql authorization wed_owner")
        connection.execute("set role wed_owner; set standard_conforming_strings = on")
        connection.execute(text)  # type: ignore[call-overload]
        made = table_schema.schema(connection)
    assert made.splitlines() == text.splitlines()


def test_each_table_of_the_schema_says_what_it_is_for() -> None:
    lines = table_schema.FILE.read_text(encoding="utf-8").splitlines()
    create = re.compile(r"create (unlogged )?table .*\($")
    made = {line: above for above, line in pairwise(lines) if create.match(line)}
    assert len(made) > 90
    assert [line for line, above in made.items() if not above.startswith("-- ")] == []


def test_fresh_schema_is_the_migrated_one(dsn: str) -> None:
    with (
        kernel_db.database(fake_clock=False) as uri,
        psycopg.connect(uri) as fresh,
        psycopg.connect(dsn) as migrated,
    ):
        assert inventory(migrated).splitlines() == inventory(fresh).splitlines()


def test_installing_again_changes_nothing_and_keeps_what_runs() -> None:
    with kernel_db.database(fake_clock=False) as uri, psycopg.connect(uri, autocommit=True) as connection:
        before = inventory(connection)
        connection.execute("select wedsql.create_flow('kept')")
        connection.execute("insert into kept.wed_attr (aname, adv) values ('a', '1')")
        connection.execute("insert into kept.wed_trig (trname, cpred) values ('tr_x', $$a = '1'$$)")
        connection.execute("select wedsql.start('kept')")
        kernel_db.install(connection)
        assert inventory(connection) == before
        with connection.transaction():
            job = connection.execute("select wid, job_id from wedsql.take('kept', '{tr_x}')").fetchone()
            assert job is not None
            done = connection.execute(
                "select ok from wedsql.complete_many('kept', array[%s], array[%s]::bigint[],"
                " array[null]::bigint[], array['{}']::jsonb[])",
                job,
            ).fetchone()
        assert done == (True,)
        assert connection.execute("select count(*) from wedsql.wed_trace").fetchone() == (2,)
        assert connection.execute("select bool_and(ok) from wedsql.invariants()").fetchone() == (True,)


def test_what_an_earlier_kernel_had_goes_but_what_others_made_stays() -> None:
    with kernel_db.database(fake_clock=False) as uri, psycopg.connect(uri, autocommit=True) as connection:
        before = inventory(connection)
        connection.execute("select wedsql.create_flow('kept')")
        for name in ("wedsql._gone()", "wed_match.gone()", "kept._single(integer)", "kept.mine()"):
            connection.execute(f"create function {name} returns integer language sql as 'select 1'")  # type: ignore[call-overload]
            owner = {"kept.mine()": "current_user", "wed_match.gone()": "wed_eval"}.get(name, "wed_owner")
            connection.execute(f"alter function {name} owner to {owner}")  # type: ignore[call-overload]
        kernel_db.install(connection)
        left = connection.execute(
            "select to_regprocedure('kept.mine()'), to_regprocedure('kept._single(integer)')"
        )
        assert left.fetchone() == ("kept.mine()", None)
        assert inventory(connection) == before


def test_a_database_that_kept_no_list_of_changes_gets_what_it_lacks() -> None:
    """Releases before the numbered changes had no table_change; installing adds what is missing."""
    with kernel_db.database(fake_clock=False) as uri, psycopg.connect(uri, autocommit=True) as connection:
        before = inventory(connection)
        for statement in (
            "drop table wedsql.table_change",
            "alter table wedsql.worker drop column problems",
            "drop table wedsql.trouble",
            "drop index wedsql.job_pool_lease",
            "create index job_pool_leased on wedsql.job_pool (lease_until)",
            "alter table wedsql.instance add constraint instance_status_check check (status > 'A')",
        ):
            connection.execute(statement)
        kernel_db.install(connection)
        assert inventory(connection).splitlines() == before.splitlines()


@pytest.mark.slow
def test_many_installs_at_once() -> None:
    with kernel_db.empty_database() as uri:
        failures: list[BaseException] = []
        ready = threading.Barrier(MANY)

        def install() -> None:
            try:
                with psycopg.connect(uri) as connection:
                    ready.wait(30)
                    kernel_db.install(connection)
            except BaseException as error:  # noqa: BLE001 - reported by the main thread
                failures.append(error)

        threads = [threading.Thread(target=install) for _ in range(MANY)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        assert failures == []
        with psycopg.connect(uri) as connection:
            many = inventory(connection)
    with kernel_db.database(fake_clock=False) as uri, psycopg.connect(uri) as connection:
        assert many.splitlines() == inventory(connection).splitlines()


def test_an_installation_waits_for_a_vacuum_before_it_changes_anything() -> None:
    """A vacuum ends with a change of the table's row in pg_class, and waits for who has changed that row."""
    with (
        kernel_db.database(fake_clock=False) as uri,
        psycopg.connect(uri) as reader,
        psycopg.connect(uri, autocommit=True) as vacuum,
        psycopg.connect(uri, autocommit=True) as installer,
        psycopg.connect(uri, autocommit=True) as watcher,
        ThreadPoolExecutor(2) as threads,
    ):
        reader.execute("declare rows cursor for select from wedsql.vocabulary")
        reader.execute("fetch 1 from rows")  # holds the first page, which the vacuum wants alone
        vacuumed = threads.submit(vacuum.execute, "vacuum (freeze) wedsql.vocabulary")
        until(lambda: _waits(watcher, vacuum, "BufferPin", "BufferCleanup"))
        installed = threads.submit(kernel_db.install, installer)
        until(lambda: _waits(watcher, installer, "relation"))
        reader.rollback()
        vacuumed.result()
        installed.result()
        assert watcher.execute("select bool_and(ok) from wedsql.invariants()").fetchone() == (True,)


def _waits(watcher: psycopg.Connection, session: psycopg.Connection, *events: str) -> bool:
    """Return whether a session waits for one of these."""
    return bool(
        watcher.execute(
            "select from pg_stat_activity where pid = %s and wait_event = any(%s)",
            [session.info.backend_pid, list(events)],
        ).rowcount
    )


def test_two_databases_of_one_server_do_not_disturb() -> None:
    with kernel_db.database() as one, kernel_db.database() as two:
        with psycopg.connect(one, autocommit=True) as first, psycopg.connect(two, autocommit=True) as second:
            first.execute("select wedsql.create_flow('same')")
            assert second.execute("select count(*) from wedsql.flow").fetchone() == (0,)
            second.execute("select wedsql.create_flow('same')")
