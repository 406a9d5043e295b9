"""System checks of the site.

E001: the kernel, E003 to E005: roles, W006: privileges, W007: settings, E010: clusters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import DatabaseError, connections

from wedsql_site import database, setting_names
from workers.checks import CLUSTER

RUNTIME_ROLES = ("web", "worker", "reaper")


@register(CLUSTER)
def timeouts_of_the_clusters(**_options: Any) -> list[CheckMessage]:
    """E010: a task that runs longer than `retry` is started a second time while it still runs."""
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


@register()
def every_setting_is_read(**_options: Any) -> list[CheckMessage]:
    """W007: a variable of the environment looks like a setting, but nothing reads it."""
    return [Warning(sentence, id="wedsql.W007") for sentence in setting_names.unread()]


@register(Tags.database, deploy=True)
def kernel_is_current(databases: Sequence[str] | None = None, **_options: Any) -> list[CheckMessage]:
    """E001: the database has another kernel than this code needs."""
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
    """E003: the owner of the tables could disable the kernel's triggers and bypass them."""
    if not databases or settings.DEBUG:
        return []
    return [problem for role in RUNTIME_ROLES for problem in _owner_problem(role)]


def _owner_problem(role: str) -> list[CheckMessage]:
    try:
        with psycopg.connect(database.url(role), connect_timeout=5, autocommit=True) as connection:
            user = connection.info.user
            owners = {name for (name,) in connection.execute(_OWNERS)}
    except psycopg.OperationalError as error:
        message = f"The {role} process cannot connect: {str(error).strip()}"
        return [Error(message, hint="manage.py wedsql roles", id="wedsql.E004")]
    if user not in owners:
        return []
    return [
        Error(
            f"The {role} process connects as {user!r}, who owns the kernel's tables or is a superuser.",
            hint=f"Set DATABASE_URL_{role.upper()} to log in as wed_{role}.",
            id="wedsql.E003",
        )
    ]


@register(Tags.database, deploy=True)
def running_processes_are_no_owners(
    databases: Sequence[str] | None = None, **_options: Any
) -> list[CheckMessage]:
    """E005: the roles that running processes use, whatever the settings of this command say."""
    found: list[CheckMessage] = []
    for alias in databases or ():
        try:
            with connections[alias].cursor() as cursor:
                cursor.execute(_OWNERS)
                owners = {name for (name,) in cursor.fetchall()}
                cursor.execute(_RUNNING)
                found += [_session_problem(name, role) for name, role in cursor if role in owners]
        except DatabaseError:
            continue  # E001 and E004 have the reason
    return found


def _session_problem(name: str, role: str) -> CheckMessage:
    return Error(
        f"The running process {name!r} is logged in as {role!r}, who owns the kernel's tables"
        " or is a superuser.",
        hint="Give it the DATABASE_URL_... of its kind and start it again.",
        id="wedsql.E005",
    )


@register(Tags.database, deploy=True)
def server_rights_are_there(databases: Sequence[str] | None = None, **_options: Any) -> list[CheckMessage]:
    """W006: without these privileges the reaper ends no overdue session and reports no error."""
    from flows import kernel

    found: list[CheckMessage] = []
    for alias in databases or ():
        try:
            missing = kernel.missing_grants(connections[alias])
        except DatabaseError:
            continue
        if missing:
            message = "The kernel's owner lacks rights that the installing role could not give it."
            hint = f"As a superuser: {'; '.join(missing)};"
            found.append(Warning(message, hint=hint, id="wedsql.W006"))
    return found


# Roles that own the kernel's tables, or may act as their owner.
_OWNERS = """
select r.rolname from pg_catalog.pg_roles r where r.rolsuper or exists (
    select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'wedsql' and c.relkind = 'r' and pg_catalog.pg_has_role(r.oid, c.relowner, 'usage'))
"""
# Workers and reapers are registered with their role; for web processes the session shows it.
_RUNNING = """
select w.name, w.role from wedsql.worker w where w.seen_at > wedsql.now() - interval '1 minute'
union
select a.application_name, a.usename from pg_catalog.pg_stat_activity a
where a.datname = current_database()
    and a.application_name in ('wedsql-web', 'wedsql-worker', 'wedsql-reaper', 'wedsql-monitor')
order by 1, 2
"""
