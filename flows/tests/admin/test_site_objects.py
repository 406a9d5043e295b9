"""Objects of a site that depend on the kernel survive each installation, or it fails and names them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from flows.tests.test_install import inventory
from testkit import kernel_db

pytestmark = pytest.mark.kernel
Db = psycopg.Connection[Any]


@pytest.fixture
def db() -> Iterator[Db]:
    """A database with the kernel, a flow `kept`, and a role of the site."""
    with site() as connection:
        yield connection


@pytest.fixture(scope="module")
def standing() -> Iterator[Db]:
    """Such a database for all tests that leave it as it was."""
    with kernel_db.database(fake_clock=False) as uri, psycopg.connect(uri, autocommit=True) as connection:
        define(connection)
        yield connection


@contextmanager
def site() -> Iterator[Db]:
    with kernel_db.database(fake_clock=False) as uri, psycopg.connect(uri, autocommit=True) as connection:
        define(connection)
        connection.execute("create role site_reader")
        yield connection
        connection.execute("drop owned by site_reader")
        connection.execute("drop role site_reader")


def define(db: Db) -> None:
    db.execute("select wedsql.create_flow('kept')")
    db.execute("insert into kept.wed_attr (aname, adv) values ('a', '1')")
    db.execute("insert into kept.wed_trig (trname, cpred) values ('tr_x', $$a = '1'$$)")
    db.execute("select wedsql.start('kept')")


def one(db: Db, query: str) -> Any:
    row = db.execute(query).fetchone()  # type: ignore[call-overload]
    return row and row[0]


@pytest.mark.parametrize(
    "statement",
    [
        "create view public.report as select wedsql.now() as at",
        "create table public.report (at timestamptz default wedsql.now())",
        "create view public.report as select * from wedsql.function_vocabulary",
        "create view public.report as select * from kept.take('{tr_x}', 1, 'x')",
        "create function public.report() returns wedsql.why language sql as 'select null::wedsql.why'",
    ],
)
def test_what_depends_on_a_function_is_named_and_nothing_is_installed(standing: Db, statement: str) -> None:
    db = standing
    db.execute(statement)  # type: ignore[call-overload]
    before = inventory(db)
    with pytest.raises(psycopg.Error) as refused:
        kernel_db.install(db)
    assert refused.value.sqlstate == "WD907"
    assert "report" in (refused.value.diag.message_detail or "") and "Drop" in str(
        refused.value.diag.message_hint
    )
    assert inventory(db) == before
    db.execute(f"drop {statement.split()[1]} public.report")  # type: ignore[call-overload]
    kernel_db.install(db)
    assert one(db, "select bool_and(ok) from wedsql.invariants()")


def test_views_over_tables_and_views_of_the_kernel_stay(db: Db) -> None:
    """Sites use such views for reports."""
    shown = {
        "history": "kept.wed_trace",
        "running": "kept.wed_flow",
        "definition": "kept.wed_trig",
        "failing": "wedsql.condition_error",
        "everything": "wedsql.instance",
    }
    for name, table in shown.items():
        db.execute(f"create view public.{name} as select * from {table}")  # type: ignore[call-overload]
        db.execute(f"grant select on public.{name}, {table} to site_reader")  # type: ignore[call-overload]
    kernel_db.install(db)
    for name, table in shown.items():
        assert one(db, f"select has_table_privilege('site_reader', '{table}', 'select')"), table
        assert one(db, f"select has_table_privilege('site_reader', 'public.{name}', 'select')"), name
    assert one(db, "select count(*) from public.history") == 1


def test_rights_that_the_site_gave_on_functions_stay(db: Db) -> None:
    db.execute("grant execute on function wedsql.definition(text) to site_reader with grant option")
    db.execute("grant execute on function kept.take(text[], integer, text, bigint[]) to site_reader")
    db.execute("grant select on wedsql.function_vocabulary to site_reader")
    db.execute("grant execute on function wedsql.cancel(integer, text, text) to public")
    kernel_db.install(db)
    kernel_db.install(db)
    held = "select has_function_privilege('site_reader', %r, 'execute%s')"
    assert one(db, held % ("wedsql.definition(text)", " with grant option"))
    assert one(db, held % ("kept.take(text[], integer, text, bigint[])", ""))
    assert not one(db, held % ("kept.take(text[], integer, text, bigint[])", " with grant option"))
    assert one(db, "select has_table_privilege('site_reader', 'wedsql.function_vocabulary', 'select')")
    assert not one(db, held % ("wedsql.cancel(integer, text, text)", "")), "rights of PUBLIC are the kernel's"


def test_a_view_of_a_flow_gets_other_columns_unless_something_depends_on_it(db: Db) -> None:
    columns = one(db, "select pg_get_viewdef('kept.st_status'::regclass)")
    db.execute("drop view kept.st_status")
    db.execute("create view kept.st_status as select status, wid, seq from wedsql.instance")
    db.execute("alter view kept.st_status owner to wed_owner")
    db.execute("grant select on kept.st_status to site_reader")
    db.execute("create view public.report as select * from kept.st_status")
    with pytest.raises(psycopg.Error) as refused:
        kernel_db.install(db)
    assert refused.value.sqlstate == "WD907" and "report" in (refused.value.diag.message_detail or "")
    db.execute("drop view public.report")
    kernel_db.install(db)
    assert one(db, "select pg_get_viewdef('kept.st_status'::regclass)") == columns
    assert one(db, "select has_table_privilege('site_reader', 'kept.st_status', 'select')")
