"""A database with only the kernel for the tests of faults."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from testkit import kernel_db


@pytest.fixture(scope="session")
def dsn() -> Iterator[str]:
    """The URI of a database with the kernel."""
    with kernel_db.database() as uri:
        yield uri
