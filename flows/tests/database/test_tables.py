"""The kernel's tables change only by numbered files, each with its own migration."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection as django_connection
from django.db.migrations.loader import MigrationLoader

from flows import kernel, tables
from flows.operations import CreateFlow
from flows.operations.install import ChangeTables
from flows.tests.test_install import SHAPES, inventory
from testkit import kernel_db

pytestmark = pytest.mark.kernel


def shape(connection: psycopg.Connection[Any]) -> list[str]:
    """Return the lines of the inventory for objects that only numbered files change."""
    return [line for line in inventory(connection).splitlines() if line.startswith(SHAPES)]


@contextmanager
def installation(
    directory: Path = kernel.SQL_DIR, capabilities: Path = kernel.CAPABILITIES
) -> Iterator[psycopg.Connection[Any]]:
    """Yield an autocommit connection to a new database with the kernel of these directories."""
    with kernel_db.empty_database() as uri, psycopg.connect(uri, autocommit=True) as connection:
        write(connection, directory, capabilities)
        yield connection


def write(
    connection: psycopg.Connection[Any],
    directory: Path = kernel.SQL_DIR,
    capabilities: Path = kernel.CAPABILITIES,
) -> None:
    """Write the kernel, again if PostgreSQL's autovacuum was in the way."""
    try:
        with connection.transaction(), connection.cursor() as cursor:
            kernel.write(cursor, directory, capabilities)
    except psycopg.errors.DeadlockDetected:
        write(connection, directory, capabilities)


def test_each_file_is_a_migration_of_its_name_and_they_follow_each_other() -> None:
    found = [
        (migration.name, operation.name)
        for (label, _), migration in sorted(MigrationLoader(None).disk_migrations.items())
        for operation in migration.operations
        if label == "flows" and isinstance(operation, ChangeTables)
    ]
    assert found == [(name, name) for name in tables.names()]
    numbers = [int(name[:4]) for name in tables.names()]  # a migration without tables has a number, too
    assert numbers == sorted(set(numbers))


def test_a_migrated_database_has_them_all(dsn: str) -> None:
    with psycopg.connect(dsn) as connection:
        done = connection.execute("select name from wedsql.table_change order by name").fetchall()
    assert [name for (name,) in done] == tables.names()


def test_what_runs_at_each_installation_changes_no_table(tmp_path: Path) -> None:
    """Only the numbered files define the tables; partitions of months count as data."""
    shutil.copytree(kernel.SQL_DIR / "00_base", tmp_path / "00_base")
    shutil.copytree(tables.DIRECTORY, tmp_path / "tables")
    with installation(tmp_path, tmp_path / "none") as connection:
        made = shape(connection)
        write(connection)
        assert shape(connection) == made


def test_each_change_has_a_way_back_and_forth() -> None:
    with installation() as connection:
        before = inventory(connection)
        connection.execute("select wedsql.create_flow('kept')")
        connection.execute("insert into kept.wed_attr (aname, adv) values ('a', '1')")
        connection.execute("insert into kept.wed_trig (trname, cpred) values ('tr_x', $$a = '1'$$)")
        connection.execute("select wedsql.start('kept')")
        for name in reversed(tables.names()[1:]):
            with connection.transaction(), connection.cursor() as cursor:
                cursor.execute((kernel.SQL_DIR / "00_base" / "02_forget.sql").read_text())
                tables.reverse(cursor, name)
        assert tables.pending(connection.cursor()) == tables.names()[1:]
        write(connection)
        assert inventory(connection) == before
        assert connection.execute("select count(*) from kept.job_pool").fetchone() == (1,)
        connection.execute("insert into kept.wed_trig (trname, cpred) values ('tr_y', $$a = '2'$$)")
        assert connection.execute("select bool_and(ok) from wedsql.invariants()").fetchone() == (True,)


def test_a_change_may_add_an_option_and_its_reverse_drop_it(tmp_path: Path) -> None:
    new = tmp_path / "sql"
    shutil.copytree(kernel.SQL_DIR, new)
    (new / "tables" / "8001_option.sql").write_text("alter table wedsql.trig add column extra integer;")
    (new / "tables" / "8001_option.reverse.sql").write_text("alter table wedsql.trig drop column extra;")
    with installation() as connection:
        connection.execute("select wedsql.create_flow('kept')")
        before = inventory(connection)
        write(connection, new)
        connection.execute("insert into kept.wed_attr (aname) values ('a')")
        connection.execute("insert into kept.wed_trig (trname, cpred, extra) values ('tr_x', $$a = '1'$$, 2)")
        with connection.transaction(), connection.cursor() as cursor:
            cursor.execute((new / "00_base" / "02_forget.sql").read_text())
            tables.reverse(cursor, "8001_option", new / "tables")
        write(connection)
        connection.execute("delete from kept.wed_trig; delete from kept.wed_attr")
        assert inventory(connection) == before


def test_an_error_in_a_change_leaves_everything_as_it_was(tmp_path: Path) -> None:
    """The change before the broken one is rolled back with it, and so are the functions."""
    new = tmp_path / "sql"
    shutil.copytree(kernel.SQL_DIR, new)
    (new / "tables" / "8001_good.sql").write_text("alter table wedsql.flow add column extra integer;")
    (new / "tables" / "8002_broken.sql").write_text("alter table wedsql.absent add column extra integer;")
    with installation() as connection:
        connection.execute("select wedsql.create_flow('kept')")
        before = inventory(connection)
        with pytest.raises(psycopg.errors.UndefinedTable):
            write(connection, new)
        assert inventory(connection) == before
        assert connection.execute("select wedsql.definition('kept') is not null").fetchone() == (True,)
        (new / "tables" / "8002_broken.sql").unlink()
        write(connection, new)
        assert tables.pending(connection.cursor(), new / "tables") == []


@pytest.mark.django_db
def test_a_kernel_whose_tables_are_behind_is_outdated_and_waits_for_its_migration() -> None:
    with django_connection.cursor() as cursor:
        cursor.execute("delete from wedsql.table_change where name = %s", [tables.names()[-1]])
    found = kernel.status(django_connection)
    assert found.state == "OUTDATED" and tables.names()[-1] in found.problems[0]
    assert not kernel.install_if_outdated(django_connection)
    assert kernel.status(django_connection).state == "OUTDATED"


@pytest.mark.django_db
def test_a_migration_of_a_flow_that_comes_first_brings_the_tables_up_to_date() -> None:
    """Django may run the app flow_orders before flows, as packages depend only on its first migration."""
    with django_connection.cursor() as cursor:
        cursor.execute("delete from wedsql.table_change where name = %s", [tables.names()[-1]])
        with django_connection.schema_editor() as editor:
            CreateFlow("came_first").database_forwards("flow_came_first", editor, None, None)
        assert tables.pending(cursor) == []
