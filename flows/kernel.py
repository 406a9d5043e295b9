"""Installs the kernel's SQL, and compares the kernel of a database with it."""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from flows import grants, tables

SQL_DIR = Path(__file__).parent / "sql"
CAPABILITIES = Path(__file__).parent / "capabilities"
SCHEMA = "wedsql"
VERSION = "1.1.0"
LOCK = 0x57454453  # advisory lock: one installer at a time per database
# Memberships of wed_owner that only a superuser, or a role with ADMIN OPTION on them, may grant.
SERVER_RIGHTS = ("pg_signal_backend", "pg_read_all_stats", "pg_read_all_settings")
_INSTALL_TIMEOUT = 60.0
_LOCK_TIMEOUT = "300ms"  # less than deadlock_timeout, so that a deadlock ends the installer
_LOCK_CONFLICTS = ("55P03", "40P01")


@dataclass(frozen=True)
class KernelStatus:
    """The state of the kernel in a database: INSTALLED, OUTDATED or MISSING, and what differs."""

    state: str
    version: str
    installed_hash: str
    expected_hash: str
    problems: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as values that JSON can represent."""
        return asdict(self)


def files(directory: Path = SQL_DIR, capabilities: Path = CAPABILITIES) -> list[Path]:
    """Return the SQL files that run at each installation, in order; the changes of tables run only once.

    Those of the numbered folders come first, then those of the capabilities, then those that finish.
    """
    folders = sorted(directory.glob("[0-9]*/*.sql"))
    return [*folders, *sorted(capabilities.glob("*/sql/*.sql")), *sorted(directory.glob("*.sql"))]


def sources() -> list[Path]:
    """Return all SQL files of the kernel, the changes of tables included."""
    return [*files(), *sorted((SQL_DIR / "tables").glob("*.sql"))]


def write(cursor: Any, directory: Path = SQL_DIR, capabilities: Path = CAPABILITIES) -> None:
    """Write the kernel in the cursor's transaction: apply pending changes of tables, recreate the rest."""
    found = files(directory, capabilities)
    cursor.execute("set local check_function_bodies = off")  # what hooks call is generated at the end
    first = [path for path in found if path.parent.name == "00_base"]
    for path in first:
        cursor.execute(path.read_text(encoding="utf-8"))
    tables.apply(cursor, directory / "tables")
    for path in found[len(first) :]:
        cursor.execute(path.read_text(encoding="utf-8"))


@cache
def digest() -> str:
    """Return a hash over the SQL that runs at each installation."""
    total = hashlib.sha256()
    for path in files():
        total.update(path.relative_to(SQL_DIR.parent).as_posix().encode())
        total.update(path.read_bytes())
    return total.hexdigest()


def install(connection: Any) -> None:
    """Install this kernel; tables and functions change in one transaction.

    Workers may run meanwhile: the installer locks every table of the kernel, and rolls back and tries again
    when another session holds one. Raises OperationalError (55P03) after a minute without success.
    """
    _change_with_retries(connection, _install)


def reverse(connection: Any, name: str) -> None:
    """Reverse a change of the tables and drop the functions; an earlier release installs its own."""

    def undo(cursor: Any) -> None:
        cursor.execute(_base("02_forget.sql"))
        tables.reverse(cursor, name)

    _change_with_retries(connection, undo)


def _change_with_retries(connection: Any, change: Callable[[Any], None]) -> None:
    """Make a change with all tables locked; roll back and try again while other sessions hold locks."""
    from django.db import OperationalError

    until = time.monotonic() + _INSTALL_TIMEOUT
    while True:
        try:
            return _change_exclusively(connection, change)
        except OperationalError as error:
            conflict = getattr(error.__cause__, "sqlstate", None) in _LOCK_CONFLICTS
            if not conflict or time.monotonic() > until:
                raise
        time.sleep(random.uniform(0.0, 0.2))  # noqa: S311 - no secret depends on it


def _change_exclusively(connection: Any, change: Callable[[Any], None]) -> None:
    """Make a change in one transaction, one installer at a time."""
    from django.db import transaction

    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        begin_change(cursor, _LOCK_TIMEOUT)
        change(cursor)


def begin_change(cursor: Any, lock_timeout: str) -> None:
    """Lock the kernel in the cursor's transaction: no other session installs or uses the tables."""
    cursor.execute("select pg_advisory_xact_lock(%s)", [LOCK])
    cursor.execute("set local client_min_messages = warning; set local check_function_bodies = off")
    _lock_tables(cursor, lock_timeout)


def _install(cursor: Any) -> None:
    write(cursor)
    cursor.execute(f"comment on schema {SCHEMA} is 'WED-SQL kernel {VERSION} {digest()} {_bodies(cursor)}'")


def _lock_tables(cursor: Any, timeout: str) -> None:
    """Lock every existing table of the kernel before its functions are replaced.

    Without this, a vacuum of a table that the transaction has granted rights on waits for its end, and the
    transaction waits for that vacuum as soon as it changes the table.
    """
    cursor.execute(
        "select string_agg(format('%I.%I', n.nspname, c.relname), ', ' order by c.oid)"
        " from pg_class c join pg_namespace n on n.oid = c.relnamespace"
        " where c.relowner = to_regrole('wed_owner') and c.relkind in ('r', 'p') and not c.relispartition"
    )
    tables = cursor.fetchone()[0]
    if tables:
        cursor.execute(
            f"set local lock_timeout = '{timeout}'; lock table {tables}; set local lock_timeout = 0"
        )


def create_roles(connection: Any) -> None:
    """Create the kernel's missing roles on the server; the database is not changed."""
    with connection.cursor() as cursor:
        cursor.execute(_base("01_roles.sql"))


def install_roles(connection: Any) -> bool:
    """Create the kernel's roles and grant their privileges; return False if no kernel is installed."""
    create_roles(connection)
    with connection.cursor() as cursor:
        cursor.execute("select to_regclass('wedsql.flow') is not null")
        if not cursor.fetchone()[0]:
            return False
        cursor.execute(_base("01_schemas.sql"))
        cursor.execute((SQL_DIR / "91_grants.sql").read_text(encoding="utf-8"))
        grants.grant_django_tables(cursor, SCHEMA)
    return True


def ensure_schema(connection: Any) -> None:
    """Create the schema of the search_path if it is missing, before Django creates its first table."""
    with connection.cursor() as cursor:
        cursor.execute("select 1 from pg_namespace where nspname = %s", [SCHEMA])
        if cursor.fetchone() is None:
            cursor.execute(_base("01_roles.sql"))
            cursor.execute(_base("01_schemas.sql"))


def _base(name: str) -> str:
    return (SQL_DIR / "00_base" / name).read_text(encoding="utf-8")


def install_pending(connection: Any) -> bool:
    """Install the kernel if changes of its tables are pending; return whether there were any."""
    with connection.cursor() as cursor:
        pending = tables.pending(cursor)
    if pending:
        install(connection)
    return bool(pending)


def install_if_outdated(connection: Any) -> bool:
    """Install the kernel of this code if the database has another; return whether it was installed.

    Does nothing where changes of the tables are pending, because their migrations install the kernel.
    """
    with connection.cursor() as cursor:
        pending = tables.pending(cursor)
    if pending or status(connection).state != "OUTDATED":
        return False
    install(connection)
    return True


def watch_controls(connection: Any) -> None:
    """Write the triggers that record changes of controls on the tables that exist by now."""
    with connection.cursor() as cursor:
        cursor.execute("select to_regprocedure('wedsql._watch_controls()') is not null")
        if cursor.fetchone()[0]:
            cursor.execute("select wedsql._watch_controls()")


def missing_grants(connection: Any) -> list[str]:
    """Return the statements that a superuser must run because the installing role was not allowed to.

    While PUBLIC may take advisory locks, any role can take those of jobs, until the reaper ends its session.
    Without pg_signal_backend the reaper cannot end overdue sessions, without pg_read_all_stats it cannot see
    them, and without pg_read_all_settings the free space of the database's disk is unknown.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "select format('grant %%I to wed_owner', r.name) from unnest(%s::text[]) r (name)"
            " where to_regrole('wed_owner') is not null and not pg_has_role('wed_owner', r.name, 'member')",
            [list(SERVER_RIGHTS)],
        )
        missing = [name for (name,) in cursor.fetchall()]
        cursor.execute(
            "select has_function_privilege('public', 'pg_advisory_xact_lock(integer, integer)', 'execute')"
            " and to_regprocedure('wedsql.close_advisory_locks()') is not null"
        )
        return missing + ["select wedsql.close_advisory_locks()"] * bool(cursor.fetchone()[0])


def status(connection: Any) -> KernelStatus:
    """Return the state of the kernel in the database, with changed functions and disabled triggers."""
    with connection.cursor() as cursor:
        cursor.execute("select obj_description(to_regnamespace(%s)::oid, 'pg_namespace')", [SCHEMA])
        comment = cursor.fetchone()[0] or ""
        parts = comment.split()
        if len(parts) != 5:
            return KernelStatus("MISSING", "", "", digest(), ("The kernel is not installed: run migrate.",))
        problems = tuple(_problems(cursor, parts[4]))
    state = "INSTALLED" if parts[3] == digest() and not problems else "OUTDATED"
    return KernelStatus(state, parts[2], parts[3], digest(), problems)


def _problems(cursor: Any, bodies: str) -> Iterator[str]:
    pending = tables.pending(cursor)
    if pending:
        yield f"The tables lack {', '.join(pending)}: run migrate."
    if _bodies(cursor) != bodies:
        yield "A function of the kernel was changed in the database; migrate puts it back."
    cursor.execute(
        "select c.oid::regclass::text, t.tgname from pg_trigger t join pg_class c on c.oid = t.tgrelid"
        " join pg_proc p on p.oid = t.tgfoid"
        " where p.pronamespace = %s::regnamespace and not t.tgisinternal and t.tgenabled <> 'O'",
        [SCHEMA],
    )
    for table, trigger in cursor.fetchall():
        yield f"Trigger {trigger} on {table} is disabled: the kernel does not see what is written there."


def _bodies(cursor: Any) -> str:
    cursor.execute(
        # Names from the catalogs, because the output of regtype and regrole depends on quote_all_identifiers.
        "select md5(coalesce(string_agg(p.proname || a.types || p.prosrc || p.prosecdef"
        " || r.rolname || coalesce(p.proconfig::text, ''), ''"
        ' order by p.proname collate "C", a.types collate "C"), \'\'))'
        " from pg_proc p join pg_roles r on r.oid = p.proowner cross join lateral ("
        "  select coalesce(string_agg(n.nspname || '.' || t.typname, ',' order by u.i), '') as types"
        "  from unnest(p.proargtypes::oid[]) with ordinality u (oid, i) join pg_type t on t.oid = u.oid"
        "  join pg_namespace n on n.oid = t.typnamespace) a"
        " where p.pronamespace = %s::regnamespace",
        [SCHEMA],
    )
    return cursor.fetchone()[0]
