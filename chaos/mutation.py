"""The changes of `python -m chaos.mutate` to the kernel, and the tests that must fail on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

_SOURCES = (
    "select pg_get_functiondef(p.oid) from pg_proc p"
    " where p.pronamespace = 'wedsql'::regnamespace and p.proname = %s"
)


@dataclass(frozen=True)
class Change:
    """Replace `old` by `new` in the source of these functions, or run `statement`."""

    functions: tuple[str, ...] = ()
    old: str = ""
    new: str = ""
    statement: str = ""


@dataclass(frozen=True)
class Mutation:
    """A guard, the test of its case (`k_time::test_late`), and the change that removes the guard."""

    guard: str
    tests: str
    functions: tuple[str, ...] = ()
    old: str = ""
    new: str = ""
    statement: str = ""

    @property
    def change(self) -> Change:
        """Return the change that removes the guard."""
        return Change(self.functions, self.old, self.new, self.statement)


def apply(conn: psycopg.Connection[Any], changes: Sequence[Change]) -> str:
    """Change the kernel of a database and return the SQL that did it.

    Raises LookupError unless each function contains the text exactly once.
    """
    done = []
    for change in changes:
        edited = [_edited(conn, name, change) for name in change.functions]
        done.append(change.statement or ";\n".join(edited))
        conn.execute(done[-1])
    return ";\n".join(done)


def _edited(conn: psycopg.Connection[Any], name: str, change: Change) -> str:
    found = [source for (source,) in conn.execute(_SOURCES, [name]).fetchall()]
    times = [source.count(change.old) for source in found]
    if times != [1]:
        raise LookupError(f"{name} has {times} times: {change.old}")
    return str(found[0]).replace(change.old, change.new)
