"""The guards that matter most are missed when they are taken away (`python -m chaos.mutate` takes all)."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from chaos import checks_results, checks_takes, machine, mutate, mutations_machine, scratch
from chaos.guarded import Check
from chaos.mutation import Change
from flows import api
from flows.tests import kernel_db

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
    checks_results.fence,
    checks_results.others_job,
    checks_takes.taken_afresh,
    checks_results.instance_first,
]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """A server with the kernel in the database that mutations are copied from."""
    dsn = kernel_db.server()
    with psycopg.connect(dsn, autocommit=True) as admin:
        scratch.make_template(admin, dsn)
        yield dsn
        scratch.drop_template(admin)


@pytest.mark.parametrize("check", CORE, ids=lambda check: check.__name__)
def test_a_missing_guard_is_noticed(server: str, check: Check) -> None:
    mutation = next(m for m in mutate.MUTATIONS if m.check is check)
    assert mutate.verdict(server, mutation)[0] == "killed"


def test_every_mutation_finds_its_guard(server: str) -> None:
    """A mutation that finds nothing to change proves nothing."""
    with scratch.scratch(server) as dsn, psycopg.connect(dsn, autocommit=True) as conn:
        for mutation in mutate.MUTATIONS:
            with conn.transaction(force_rollback=True):
                assert mutate.mutate(conn, mutation.change), mutation.guard


def test_every_mending_can_be_taken_out(server: str) -> None:
    """Its text is there once, and what is left is a kernel that defines flows."""
    with scratch.scratch(server) as dsn, psycopg.connect(dsn, autocommit=True) as conn:
        for undone in mutations_machine.MUTATIONS:
            with conn.transaction(force_rollback=True):
                machine.take_out(conn, undone.changes)
                api.create_flow("changed", conn=conn)
                api.publish("changed", DEFINITION, conn=conn)
                assert api.start("changed", {}, conn=conn), undone.mending


def test_a_mending_that_is_not_there_is_told(server: str) -> None:
    with scratch.scratch(server) as dsn, psycopg.connect(dsn, autocommit=True) as conn:
        for text in ("no such text", "p_wids"):  # not at all, and more than once
            with pytest.raises(LookupError):
                machine.take_out(conn, [Change(("_rematch",), text, "")])
