"""Our own system checks: wedsql.E001 kernel, E003 and E004 roles, E010 time-outs of the clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import DatabaseError, connections

from wedsql_site import database

RUNTIME_ROLES = ("web", "worker", "reaper")


@register
def timeouts_of_the_clusters(**_options: Any) -> list[CheckMessage]:
    """E010: a task that may run longer than `retry` is started a second time while it still runs."""
    whole = settings.Q_CLUSTER
    clusters = {whole["name"]: whole} | {
        name: {**whole, **own} for name, own in whole.get("ALT_CLUSTERS", {}).items()
    }
    return [
        Error(
            f"The cluster {name!r} retries after {own.get('retry', 60)} s what takes {own.get('timeout')} s.",
            hint="Set retry larger than timeout in Q_CLUSTER.",
            id="wedsql.E010",
        )
        for name, own in clusters.items()
        if not own.get("timeout") or own["timeout"] >= own.get("retry", 60)
    ]


@register(Tags.database, deploy=True)
def kernel_is_current(databases: Sequence[str] | None = None, **_options: Any) -> list[CheckMessage]:
    """E001: the database runs another kernel than this code was written for."""
    from flows import kernel

    found: list[CheckMessage] = []
    for alias in databases or ():
        try:
            status = kernel.status(connections[alias])
            state, problems = status.state, status.problems
        except DatabaseError as error:
            state, problems = "unknown", (str(error).strip(),)
        if state != "INSTALLED":
            message = " ".join([f"The kernel in the database {alias!r} is {state}.", *problems])
            found.append(Error(message, hint="manage.py wedsql install", id="wedsql.E001"))
    return found


@register(Tags.database, deploy=True)
def processes_are_no_owners(databases: Sequence[str] | None = None, **_options: Any) -> list[CheckMessage]:
    """E003: who owns the tables can switch the kernel's triggers off and write past them."""
    if not databases or settings.DEBUG:
        return []
    return [problem for role in RUNTIME_ROLES for problem in _owner_problem(role)]


def _owner_problem(role: str) -> list[CheckMessage]:
    try:
        with psycopg.connect(database.url(role), connect_timeout=5, autocommit=True) as connection:
            row = connection.execute(_IS_OWNER).fetchone()
    except psycopg.OperationalError as error:
        message = f"The {role} process cannot connect: {str(error).strip()}"
        return [Error(message, hint="manage.py wedsql roles", id="wedsql.E004")]
    if row is None or not row[1]:
        return []
    return [
        Error(
            f"The {role} process connects as {row[0]!r}, who owns the kernel's tables or is a superuser.",
            hint=f"Set DATABASE_URL_{role.upper()} to log in as wed_{role}.",
            id="wedsql.E003",
        )
    ]


_IS_OWNER = """
select current_user, r.rolsuper or exists (
    select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'wedsql' and pg_catalog.pg_has_role(r.oid, c.relowner, 'usage'))
from pg_catalog.pg_roles r where r.rolname = current_user
"""
