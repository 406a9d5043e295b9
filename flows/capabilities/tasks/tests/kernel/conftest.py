"""The flow whose tasks the tests perform."""

from __future__ import annotations

import pytest

from flows.tests.kit import Kit


@pytest.fixture
def office(kit: Kit) -> Kit:
    """A clerk checks, another person signs, a worker files."""
    kit.attrs("checked", "signed", "filed", "person")
    kit.trig(
        "tr_check", "checked is null", performer="person", role="Clerk", writes=["checked"], offline=True
    )
    kit.trig(
        "tr_sign",
        "checked is not null and signed is null",
        performer="person",
        role="Boss",
        candidate="person",
        not_by=["tr_check"],
        outcomes=["Approve: signed = 'yes'", "Send back: checked = null", "FAILED: signed = 'failed'"],
        deadline="4 hours",
    )
    kit.trig("tr_file", "signed is not null and filed is null")
    kit.final("filed is not null")
    return kit
