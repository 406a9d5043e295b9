"""Tests that failed at first and passed alone (tests/suite/flaky.json): the second time is a failure.

A test is listed with the date. It leaves the list when its cause is mended.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

FILE = Path(__file__).with_name("flaky.json")


def listed(file: Path = FILE) -> dict[str, str]:
    """Return the listed tests with the dates of their first failure."""
    if not file.exists():
        return {}
    found: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return found


def judge(passed_alone: list[str], file: Path = FILE) -> list[str]:
    """List the tests that passed alone, and return those that were listed already."""
    known = listed(file)
    again = [test for test in passed_alone if test in known]
    if new := {test: f"{datetime.now(UTC):%Y-%m-%d}" for test in passed_alone if test not in known}:
        file.write_text(json.dumps(known | new, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return again
