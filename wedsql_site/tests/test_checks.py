"""The checks that query the database: whether the kernel is complete, and which roles processes use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from django.core import checks
from django.db import connection
from psycopg.conninfo import make_conninfo

from testkit.web import environ_for
from wedsql_site.supervisor import preparation

pytestmark = pytest.mark.django_db
Connect = Callable[..., psycopg.Connection[Any]]


@pytest.fixture
def as_in_production(dsn: str, monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    """Each kind of process has the URL of its own role."""
    for name, value in environ_for(dsn).items():
        if name.startswith("DATABASE_URL_"):
            monkeypatch.setenv(name, value)
    settings.DEBUG = False


def found() -> dict[str, str]:
    """Return id and text of the deployment checks' messages about the database."""
    answers = checks.run_checks(
        tags=[checks.Tags.database], databases=["default"], include_deployment_checks=True
    )
    return {str(one.id): f"{one.msg} {one.hint}" for one in answers if str(one.id).startswith("wedsql.")}


def test_an_installation_in_order_has_nothing_to_say(as_in_production: None) -> None:
    assert found() == {}


def test_a_disabled_trigger_is_found(as_in_production: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "select c.oid::regclass::text, t.tgname from pg_trigger t join pg_class c on c.oid = t.tgrelid"
            " join pg_proc p on p.oid = t.tgfoid"
            " where p.pronamespace = 'wedsql'::regnamespace and not t.tgisinternal limit 1"
        )
        table, trigger = cursor.fetchone()
        cursor.execute(f'alter table {table} disable trigger "{trigger}"')  # rolled back with the test
    problem = found()["wedsql.E001"]
    assert trigger in problem
    assert "wedsql install" in problem


def test_a_changed_function_is_found(as_in_production: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("create function wedsql.smuggled() returns int language sql as 'select 1'")
    assert "wedsql.E001" in found()


def test_a_process_that_connects_as_owner_is_rejected(
    as_in_production: None, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL_WEB", dsn)
    assert "DATABASE_URL_WEB" in found()["wedsql.E003"]


def test_a_process_that_cannot_connect_is_reported(
    as_in_production: None, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL_REAPER", make_conninfo(dsn, user="nobody_at_all"))
    assert "reaper" in found()["wedsql.E004"]


def look_again() -> None:
    """Discard the snapshot of sessions, which otherwise stays the same during a transaction."""
    with connection.cursor() as cursor:
        cursor.execute("select pg_stat_clear_snapshot()")


def test_a_running_process_that_is_an_owner_is_found(
    as_in_production: None, dsn: str, connect: Connect
) -> None:
    """The check looks at sessions: the URL of this command may differ from that of the process."""
    with psycopg.connect(make_conninfo(dsn, application_name="wedsql-web")):
        assert "wedsql-web" in found()["wedsql.E005"]
    look_again()
    session = connect()
    worker = session.execute("select wedsql.register_worker('worker', 'hand', 'here', 1, '{}')").fetchone()
    assert "'hand'" in found()["wedsql.E005"]
    session.execute("select wedsql.unregister_worker(%s)", worker)
    assert found() == {}


def test_rights_that_the_installer_could_not_give_are_named(as_in_production: None, capsys: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute("revoke pg_signal_backend from wed_owner")  # rolled back with the test
    assert "grant pg_signal_backend to wed_owner" in found()["wedsql.W006"]
    output: list[str] = []
    preparation.report_missing_grants(output.append)
    assert output[1:] == ["  grant pg_signal_backend to wed_owner;"]


def test_advisory_locks_that_the_installer_could_not_close_are_named(as_in_production: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("grant execute on function pg_advisory_xact_lock(integer, integer) to public")
    assert "select wedsql.close_advisory_locks();" in found()["wedsql.W006"].replace("  ", " ")
    with connection.cursor() as cursor:
        cursor.execute("select wedsql.close_advisory_locks()")
    look_again()
    assert found() == {}
