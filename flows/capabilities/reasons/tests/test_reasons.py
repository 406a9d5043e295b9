"""Each thing that a job can wait for has a sentence."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from django.conf import settings

from flows.capabilities.reasons import sentences
from flows.capabilities.reasons.api import JobReason

FILES = ("flows/capabilities/reasons/sql/01_waiting.sql", "flows/capabilities/children/sql/06_hooks.sql")
SOURCE = "".join((settings.BASE_DIR / name).read_text() for name in FILES)
VALUE = r"'for',\s*(?:case\b[^']*?(?:'[^']*'[^']*?)*?then\s*)?'(\w+)'(?:\s*else\s*'(\w+)')?"
KINDS = {*re.findall(r'"for": "(\w+)"', SOURCE)} | {
    word for words in re.findall(VALUE, SOURCE) for word in words if word
}
FACTS = dict.fromkeys({*re.findall(r"'(\w+)'", SOURCE)} - {"first"}, 2)  # what is said of another job


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_what_a_job_waits_for_is_a_sentence(kind: str) -> None:
    job = JobReason(1, 1, "tr_pack", datetime.now(UTC), 0, 0, False, None, kind, FACTS)
    said = sentences.waiting(job)
    assert said.endswith(".") and "%" not in said
    assert kind != "signal" or "“tr_pack”" in said
