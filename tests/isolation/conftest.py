"""One database for all specs, with the kernel, a movable clock and the helper functions of the steps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from testkit import kernel_db


@pytest.fixture(scope="session")
def dsn() -> Iterator[str]:
    """The URI of the database of the specs."""
    with kernel_db.database() as uri:
        with psycopg.connect(uri, autocommit=True) as connection:
            connection.execute((Path(__file__).parent / "words.sql").read_text(encoding="utf-8"))
        yield uri
