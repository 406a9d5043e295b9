"""Tests fail without the most important guards (`python -m chaos.mutate` removes all guards)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from chaos import mutate
from chaos.mutants import mutations_machine
from chaos.mutants.mutation import Change, apply, pytest_id, read
from flows import api
from testkit import kernel_db
from testkit.cases import some

pytestmark = [pytest.mark.kernel, pytest.mark.slow]

DEFINITION = {
    "attributes": [{"name": "a", "type": "integer", "default": "0"}, {"name": "d", "type": "date"}],
    "triggers": [
        {"transition": "tr_x", "predicate": "a = 0", "writes": ["a"], "revalidate": "at_take"},
        {"transition": "tr_y", "predicate": "a = 1", "due_attr": "d", "timeout": "1 minute"},
        {"predicate": "a = 2", "final": True},
    ],
}
CORE = [
    "claim at completion (fencing token)",
    "advisory lock again at commit",
    "job read again under its lock",
    "single result: instance locked before its job is checked",
]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """A server with the template database that mutations are copied from."""
    with kernel_db.database() as dsn:
        yield dsn


@pytest.mark.parametrize("guard", some(CORE, 2))
def test_a_missing_guard_is_noticed(server: str, guard: str) -> None:
    mutation = next(m for m in read() if m.guard == guard)
    assert mutate.verdict(server, mutation)[0] == "killed"


def test_the_test_of_every_guard_exists() -> None:
    """A test that has moved would not run, and its mutation seem to survive."""
    gone = []
    for mutation in read():
        path, _, name = pytest_id(mutation.tests).partition("::")
        if f"def {name}(" not in Path(path).read_text(encoding="utf-8"):
            gone.append(mutation.tests)
    assert gone == []


def test_every_guard_can_be_removed(server: str) -> None:
    """Check that every mutation finds the text it changes; otherwise it would test nothing."""
    with kernel_db.copy(server) as dsn, psycopg.connect(dsn, autocommit=True) as conn:
        for mutation in read():
            with conn.transaction(force_rollback=True):
                assert apply(conn, [mutation.change]), mutation.guard


def test_every_fix_can_be_removed(server: str) -> None:
    """Check that the text of each fix is there once, and that the kernel without it can define flows."""
    with kernel_db.copy(server) as dsn, psycopg.connect(dsn, autocommit=True) as conn:
        for removed in mutations_machine.MUTATIONS:
            with conn.transaction(force_rollback=True):
                apply(conn, removed.changes)
                api.flows.create("changed", conn=conn)
                api.flows.publish("changed", DEFINITION, conn=conn)
                assert api.instances.start("changed", {}, conn=conn), removed.fix


def test_a_guard_that_is_not_there_is_an_error(server: str) -> None:
    with kernel_db.copy(server) as dsn, psycopg.connect(dsn, autocommit=True) as conn:
        for text in ("no such text", "p_wids"):  # absent, and more than once
            with pytest.raises(LookupError):
                apply(conn, [Change(("_rematch",), text, "")])
