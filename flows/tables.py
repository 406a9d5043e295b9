"""Changes the kernel's tables: numbered SQL files, each of which runs once per database.

`sql/tables/0002_name.sql` is the migration `flows.0002_name`, and `0002_name.reverse.sql` reverses it. The
applied changes are listed in wedsql.table_change, because tests and tools install the kernel without Django.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

DIRECTORY = Path(__file__).parent / "sql" / "tables"
_OWNER = "set local role wed_owner"
# Drops the views of all flows, which name columns of tables; the next installation creates them again.
_DROP_VIEWS = """
do $$
declare
  v_views text := (
    select string_agg(c.oid::regclass::text, ', ') from pg_class c
    where c.relkind = 'v' and c.relowner = 'wed_view'::regrole and c.relnamespace <> 'wedsql'::regnamespace);
begin
  if v_views is not null then
    execute 'drop view ' || v_views;
  end if;
end $$
"""


def names(directory: Path = DIRECTORY) -> list[str]:
    """Return the names of all changes, in the order in which they run."""
    return sorted(path.stem for path in directory.glob("*.sql") if not path.stem.endswith(".reverse"))


def pending(cursor: Any, directory: Path = DIRECTORY) -> list[str]:
    """Return the changes that the database does not have yet, in the order in which they run."""
    done = _applied(cursor)
    return [name for name in names(directory) if name not in done]


def _applied(cursor: Any) -> set[str]:
    cursor.execute(
        "select to_regclass('wedsql.table_change') is not null, to_regclass('wedsql.flow') is not null"
    )
    listed, installed = cursor.fetchone()
    if not listed:
        return {names()[0]} if installed else set()  # release 1.0.0 had no list
    cursor.execute("select name from wedsql.table_change")
    return {name for (name,) in cursor.fetchall()}


def apply(cursor: Any, directory: Path = DIRECTORY) -> None:
    """Apply all pending changes, in the cursor's transaction and as the owner of the kernel."""
    for name in pending(cursor, directory):
        _run(cursor, directory / f"{name}.sql")
        cursor.execute("insert into wedsql.table_change (name) values (%s)", [name])


def reverse(cursor: Any, name: str, directory: Path = DIRECTORY) -> None:
    """Reverse one change in the cursor's transaction; the kernel's functions must have been dropped.

    Raises psycopg.errors.DependentObjectsStillExist when objects of the site depend on views of flows.
    """
    cursor.execute(_DROP_VIEWS)
    _run(cursor, directory / f"{name}.reverse.sql")
    cursor.execute("delete from wedsql.table_change where name = %s", [name])


def is_reversible(name: str, directory: Path = DIRECTORY) -> bool:
    """Return whether the change can be reversed."""
    return (directory / f"{name}.reverse.sql").exists()


def repeat(cursor: Any, name: str, directory: Path = DIRECTORY) -> None:
    """Run a change that a database has already."""
    _run(cursor, directory / f"{name}.sql")


def _run(cursor: Any, path: Path) -> None:
    cursor.execute(f"{_OWNER}; {path.read_text(encoding='utf-8')}; reset role")
