"""Helpers for the migration packages of flows, in a directory of the test."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import override_settings

from flows import flow_apps
from flows.tests.pages import unique


@contextmanager
def directory(parent: Path, monkeypatch: Any) -> Iterator[Path]:
    """Yield a directory for flow packages; remove their modules and its path afterwards."""
    home = parent / unique("packages")
    monkeypatch.setenv(flow_apps.VARIABLE, str(home))
    yield home
    for name in [name for name in sys.modules if name.split(".")[0] == home.name]:
        del sys.modules[name]
    if str(parent) in sys.path:
        sys.path.remove(str(parent))


def migrate(flow: str, target: str = "") -> str:
    """Run `manage.py migrate flow_<name> [target]` with the package installed; return its output."""
    output = StringIO()
    with override_settings(INSTALLED_APPS=[*settings.INSTALLED_APPS, *flow_apps.installed()]):
        call_command(
            "migrate", flow_apps.label(flow), *([target] if target else []), stdout=output, verbosity=1
        )
    return output.getvalue()


def forget(flow: str) -> None:
    """Drop the flow and the records of its migrations from the database."""
    with connection.cursor() as cursor:
        cursor.execute("select wedsql.drop_flow(name, true) from wedsql.flow where name = %s", [flow])
        cursor.execute("delete from django_migrations where app = %s", [flow_apps.label(flow)])


def shape(flow: str) -> dict[str, Any]:
    """Return what defines a flow in the database: columns, defaults, triggers and the matcher's source."""
    with connection.cursor() as cursor:
        cursor.execute("set constraints all immediate")  # a definition generates its functions at the commit
        cursor.execute(
            "select column_name, data_type, column_default from information_schema.columns"
            " where table_schema = %s and table_name = 'wed_flow' order by column_name",
            [flow],
        )
        columns = cursor.fetchall()
        cursor.execute(
            "select t.* from (select tgname, trname, cname, cpred, cfinal, canonical, timeout::text, enabled,"
            " priority, mode, row_number() over (order by tgid) from wedsql.trig"
            " where flow_id = (select id from wedsql.flow where name = %s)) t",
            [flow],
        )
        triggers = cursor.fetchall()
        cursor.execute(
            "select p.prosrc, array(select tgid from wedsql.trig where flow_id = f.id order by tgid)"
            " from wedsql.flow f join pg_proc p on p.proname = 'f_' || f.id"
            " and p.pronamespace = 'wed_match'::regnamespace where f.name = %s",
            [flow],
        )
        matchers = cursor.fetchall()
    return {"columns": columns, "triggers": triggers, "matcher": [_relative(*row) for row in matchers]}


def _relative(source: str, tgids: list[int]) -> str:
    """Return the matcher's source with triggers by position, as their numbers differ between databases."""
    for place, tgid in enumerate(tgids):
        source = source.replace(f" {tgid} ", f" #{place} ").replace(f"-{tgid};", f"-#{place};")
        source = source.replace(f"|| {tgid};", f"|| #{place};")
    return source
