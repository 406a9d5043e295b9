"""Changes the kernel's tables: numbered files of SQL, each of which runs once in a database.

`sql/tables/0002_name.sql` is the migration `flows.0002_name`, and `0002_name.reverse.sql` its way back. Which
of them a database has stands in wedsql.table_change: tests and tools install the kernel without Django, too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

DIRECTORY = Path(__file__).parent / "sql" / "tables"
_OWNER = "set local role wed_owner"


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
        return {names()[0]} if installed else set()  # release 1.0.0 kept no list
    cursor.execute("select name from wedsql.table_change")
    return {name for (name,) in cursor.fetchall()}


def apply(cursor: Any, directory: Path = DIRECTORY) -> None:
    """Apply all pending changes, in the cursor's transaction and as the owner of the kernel."""
    for name in pending(cursor, directory):
        _run(cursor, directory / f"{name}.sql")
        cursor.execute("insert into wedsql.table_change (name) values (%s)", [name])


def reverse(cursor: Any, name: str, directory: Path = DIRECTORY) -> None:
    """Take one change back, in the cursor's transaction; the kernel's functions must be gone by then."""
    _run(cursor, directory / f"{name}.reverse.sql")
    cursor.execute("delete from wedsql.table_change where name = %s", [name])


def is_reversible(name: str, directory: Path = DIRECTORY) -> bool:
    """Return whether the change has a way back."""
    return (directory / f"{name}.reverse.sql").exists()


def _run(cursor: Any, path: Path) -> None:
    cursor.execute(f"{_OWNER}; {path.read_text(encoding='utf-8')}; reset role")
