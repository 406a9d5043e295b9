"""The flow whose tasks the tests perform without a connection."""

from __future__ import annotations

import pytest

from flows.tests.kit import Kit


@pytest.fixture
def cellar(kit: Kit) -> Kit:
    """A technician reads the meter in the cellar; the office does something else meanwhile."""
    kit.rows("delete from wedsql.device")
    kit.attrs("meter", "note", "read", "filed")
    kit.trig(
        "tr_measure",
        "meter is null",
        performer="person",
        role="Technician",
        writes=["meter", "note"],
        offline=True,
    )
    kit.trig("tr_read", "read is null", performer="person", role="Clerk", writes=["read", "note", "meter"])
    kit.trig("tr_file", "meter is not null and read is not null and filed is null")
    kit.final("filed is not null")
    return kit
