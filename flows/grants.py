"""Grants the product's roles access to Django's tables; those of the kernel are granted by its SQL."""

from __future__ import annotations

from typing import Any

# The reaper deletes old rows of these (workers.reaper.old_rows).
TIDIED_TABLES = ("django_session", "axes_accesslog", "axes_accessfailurelog", "axes_accessattempt")
# Django-Q clusters keep their queue, results and schedules in these.
WORKER_TABLES = ("django_q_ormq", "django_q_task", "django_q_schedule")

# What the reaper reads to mail people about their cases: addresses, and who sees which flow; no passwords.
READ_COLUMNS = {
    "auth_user": "id, username, email, is_active, is_staff, is_superuser",
    "auth_user_groups": "user_id, group_id",
    "auth_user_user_permissions": "user_id, permission_id",
    "auth_group": "id, name",
    "auth_group_permissions": "group_id, permission_id",
    "auth_permission": "id, codename, content_type_id",
    "django_content_type": "id, app_label",
}


def grant_django_tables(cursor: Any, schema: str) -> None:
    """Grant wed_web access to every table that Django manages, and the other processes to what they need."""
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
        if name in READ_COLUMNS:
            cursor.execute(f'grant select ({READ_COLUMNS[name]}) on {schema}."{name}" to wed_reaper')
        cursor.execute(f'grant {rights} on {what} {schema}."{name}" to {", ".join(roles)}')
    cursor.execute(f"grant select on {schema}.django_migrations to wed_worker, wed_reaper, wed_monitor")
