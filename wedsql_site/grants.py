"""Rights on Django's own tables; those of the kernel are given by the kernel itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.apps import apps
from psycopg import sql

WEB = "wed_web"
PERFORMERS = ("wed_worker", "wed_reaper")
# People, their sessions and rights are none of a worker's business.
_FOR_WEB_ONLY = {"admin", "auth", "contenttypes", "sessions"}
_KERNEL = "flows"


def grant_django_tables(connection: Any) -> None:
    """Lets the web process use every table of Django's models, and workers all but those of accounts.

    `connection` is Django's, of the owner of the tables. The table of the applied migrations is readable.
    """
    with connection.cursor() as cursor:
        for table in sorted(_tables(exclude=set())):
            _grant(cursor, table, [WEB])
        for table in sorted(_tables(exclude=_FOR_WEB_ONLY)):
            _grant(cursor, table, PERFORMERS)
        cursor.execute("grant select on django_migrations to wed_web, wed_worker, wed_reaper")


def _tables(exclude: set[str]) -> set[str]:
    models = apps.get_models(include_auto_created=True)
    return {
        model._meta.db_table
        for model in models
        if model._meta.managed and not model._meta.proxy and model._meta.app_label not in exclude | {_KERNEL}
    }


def _grant(cursor: Any, table: str, roles: Iterable[str]) -> None:
    names = sql.SQL(", ").join(map(sql.Identifier, roles))
    statement = sql.SQL("grant select, insert, update, delete on {} to {}")
    cursor.execute(statement.format(sql.Identifier(table), names))
