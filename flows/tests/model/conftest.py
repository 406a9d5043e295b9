"""The state machine has a database of its own, because it moves the clock and reaps everything."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from testkit import kernel_db


@pytest.fixture(scope="session")
def dsn() -> Iterator[str]:
    """The URI of a database with the kernel and a clock that wedsql.test_offset moves."""
    with kernel_db.database() as uri:
        yield uri
