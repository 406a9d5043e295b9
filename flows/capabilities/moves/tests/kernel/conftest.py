"""Two installations that know each other."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from flows.capabilities.moves.tests.kernel.sites import Site
from testkit import kernel_db


@pytest.fixture
def pair() -> Iterator[tuple[Site, Site]]:
    """Two installations, each with a database of its own."""
    with kernel_db.database() as one, kernel_db.database() as other:
        here, there = Site(one, "here"), Site(other, "there")
        here.knows(there)
        there.knows(here)
        yield here, there
        here.conn.close()
        there.conn.close()
