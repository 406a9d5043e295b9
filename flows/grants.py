"""Opens Django's own tables to the product's roles: the kernel's tables are granted by its SQL alone."""

from __future__ import annotations

from typing import Any

# The worker's cluster keeps its results and schedules in these; every process reads content types and users.
# The reaper deletes from these what is old (workers.reaper.tidy).
TIDIED_TABLES = ("django_session", "axes_accesslog", "axes_accessfailurelog", "axes_accessattempt")
WORKER_TABLES = ("django_q_ormq", "django_q_task", "django_q_schedule", "wedsql_cache")


def grant_django_tables(cursor: Any, schema: str) -> None:
    """Promise that wed_web may use every table that Django manages, and workers those of Django-Q."""
    cursor.execute(
        "select c.relname, c.relkind from pg_class c where c.relnamespace = %s::regnamespace"
        " and c.relkind in ('r', 'S') and c.relowner <> 'wed_owner'::regrole",
        [schema],
    )
    for name, kind in cursor.fetchall():
        what = "sequence" if kind == "S" else "table"
        rights = "usage, select" if kind == "S" else "select, insert, update, delete"
        roles = ["wed_web"]
        if name.removesuffix("_id_seq") in WORKER_TABLES:
            roles += ["wed_worker", "wed_reaper"]
        if name in TIDIED_TABLES:
            cursor.execute(f'grant select, delete on table {schema}."{name}" to wed_reaper')
        cursor.execute(f'grant {rights} on {what} {schema}."{name}" to {", ".join(roles)}')
    cursor.execute(f"grant select on {schema}.django_migrations to wed_worker, wed_reaper, wed_monitor")
