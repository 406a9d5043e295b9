"""Removes what the tests of a file leave in the site's database, since pages show all that there is."""

from __future__ import annotations

from pathlib import Path

from django.core.cache import cache
from django.db import connection
from psycopg import sql

from testkit import site_tables

# Here processes and browsers that run until the last test have rows of their own.
LIVING = ("tests/browser/", "workers/", "wedsql_site/")
_WITHOUT_ROWS = """
select string_agg(format('select %1$L where not exists (select from wedsql.%1$I)', c.relname), ' union all ')
from pg_class c
where c.relnamespace = 'wedsql'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
"""
_empty: list[str] = []


def keep_what_is_there() -> None:
    """Remember which tables of the kernel have no rows in a database that no test has changed."""
    with connection.cursor() as cursor:
        cursor.execute(_WITHOUT_ROWS)
        (query,) = cursor.fetchone() or ("",)
        cursor.execute(query)
        _empty[:] = sorted(name for (name,) in cursor.fetchall())


def remove(path: Path) -> None:
    """Drop flows, drafts and devices, of which a person has 50 at most.

    After most files also empty the tables that were empty.

    Raises django.db.OperationalError when a process of a test still has a lock.
    """
    with connection.cursor() as cursor:
        cursor.execute("set lock_timeout = '20s'")
        cursor.execute("delete from wedsql.draft")
        cursor.execute("delete from wedsql.device")
        cursor.execute("select wedsql.drop_flow(f.name, true) from wedsql.flow f")
        if not path.as_posix().startswith(LIVING):
            cursor.execute(_emptying())
            site_tables.empty()
            cache.clear()  # it has what the tests have done with the flows
        cursor.execute("reset lock_timeout")


def _emptying() -> str:
    """Return the statements that empty the tables, all at once, so that none refers to a row that is gone."""
    deletes = [sql.SQL("delete from wedsql.{}").format(sql.Identifier(name)).as_string() for name in _empty]
    return ";".join(["begin", "set local session_replication_role = replica", *deletes, "commit"])
