"""Each thing that a job can wait for has a sentence."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from django.conf import settings

from flows import reasons
from flows.api.reasons import JobReason

SOURCE = (settings.BASE_DIR / "flows/sql/67_reasons/01_waiting.sql").read_text()
# Other words of these lines: facts, with what they hold.
FACTS = {"for", "since", "holder", "until", "transition", "ahead"}
KINDS = {
    *re.findall(r'"for": "(\w+)"', SOURCE),
    *(word for line in re.findall(r"'for',.*", SOURCE) for word in re.findall(r"'(\w+)'", line)),
} - FACTS


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_what_a_job_waits_for_is_a_sentence(kind: str) -> None:
    job = JobReason(1, 1, "tr_pack", datetime.now(UTC), 0, 0, False, None, kind, {"ahead": 2})
    said = reasons.waiting(job)
    assert said.endswith(".") and "%" not in said
    assert kind != "signal" or "“tr_pack”" in said
