"""The tests that the documentation names for each guarantee are there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
PLACES = (
    "flows/capabilities/offline/tests",
    "flows/capabilities/moves/tests",
    "flows/capabilities/tasks/tests",
    "monitor/offline/tests",
    "tests/browser/offline",
    "wedsql_site/tests/web",
)
NAMED = re.compile(r"`(test_\w+)`")
DEFINED = re.compile(r"^def (test_\w+)\(", re.MULTILINE)


def test_each_test_that_is_named_for_a_guarantee_is_there() -> None:
    files = [file for place in PLACES for file in (ROOT / place).rglob("test_*.py")]
    defined = {name for file in files for name in DEFINED.findall(file.read_text("utf-8"))}
    named = set(NAMED.findall((ROOT / "docs/offline.md").read_text("utf-8")))
    assert len(named) > 50 and sorted(named - defined) == []
