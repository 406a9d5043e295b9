"""The changes of `python -m chaos.mutate` to the kernel, and the tests that must fail on them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

_ROOT = Path(__file__).parents[2]
_NAMES = ("mutations", "mutations_recovery", "mutations_languages")
_FILES = [Path(__file__).with_name(f"{name}.toml") for name in _NAMES]
_SOURCES = (
    "select pg_get_functiondef(p.oid) from pg_proc p"
    " where p.pronamespace = 'wedsql'::regnamespace and p.proname = %s"
)


@dataclass(frozen=True)
class Change:
    """Replace `old` by `new` in the source of these functions, or run `statement`."""

    functions: tuple[str, ...] = ()
    old: str = ""
    new: str = "false"
    statement: str = ""


@dataclass(frozen=True)
class Mutation:
    """A guard, the test of its case (`k_time::test_late`), and the change that removes the guard."""

    guard: str
    tests: str
    change: Change


def read(word: str = "") -> Iterator[Mutation]:
    """Yield the mutations of the files whose name has this word; mutations.toml explains their form."""
    for path in (each for each in _FILES if word in each.name):
        for module, tests in tomllib.loads(path.read_text(encoding="utf-8")).items():
            for test, guards in tests.items():
                for guard, change in guards.items():
                    yield Mutation(guard, f"{module}::{test}", _change(change))


def _change(written: str | list[str]) -> Change:
    if isinstance(written, str):
        return Change(statement=written)
    return Change(tuple(written[0].split()), *written[1:])


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


def pytest_id(test: str) -> str:
    """Return pytest's id of a test: k_time::test_late is in the file test_k_time.py of flows."""
    module, _, name = test.partition("::")
    (path,) = (_ROOT / "flows").rglob(f"test_{module}.py")
    return f"{path.relative_to(_ROOT)}::{name}"
