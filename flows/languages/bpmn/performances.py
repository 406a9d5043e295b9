"""The counters of performances that a completion condition names."""

from __future__ import annotations

import re
from collections.abc import Mapping

_COUNTER = re.compile(
    r"('(?:[^']|'')*')|\b(?:nr|number)of(completed|active|terminated)?instances\b", re.IGNORECASE
)


def counted(condition: str, counts: Mapping[str, str]) -> str:
    """Return a completion condition with the counters of BPMN replaced."""
    return _COUNTER.sub(lambda found: found[1] or counts[(found[2] or "instances").lower()], condition)


def without_counters(condition: str) -> str:
    """Return a completion condition with numbers instead of the counters."""
    return counted(condition, dict.fromkeys(("instances", "completed", "active", "terminated"), "1"))
