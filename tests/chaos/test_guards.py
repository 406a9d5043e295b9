"""The guards that matter most are missed when they are taken away (`python -m chaos.mutate` takes all)."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from chaos import checks, mutate
from flows.tests import kernel_db

pytestmark = [pytest.mark.kernel, pytest.mark.slow]

CORE = [checks.fence, checks.others_job, checks.taken_afresh, checks.instance_first]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """A server with the kernel in the database that mutations are copied from."""
    dsn = kernel_db.server()
    with psycopg.connect(dsn, autocommit=True) as admin:
        mutate.make_template(admin, dsn)
        yield dsn
        mutate.drop_template(admin)


@pytest.mark.parametrize("check", CORE, ids=lambda check: check.__name__)
def test_a_missing_guard_is_noticed(server: str, check: checks.Check) -> None:
    mutation = next(m for m in mutate.MUTATIONS if m.check is check)
    assert mutate.verdict(server, mutation)[0] == "killed"


def test_every_mutation_finds_its_guard(server: str) -> None:
    """A mutation that finds nothing to change proves nothing."""
    with mutate.scratch(server) as dsn:
        assert [m.guard for m in mutate.MUTATIONS if not m.statement and not mutate.mutate(dsn, m)] == []
