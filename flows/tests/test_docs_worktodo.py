"""The page about WorkToDo names tests that there are."""

from __future__ import annotations

import re
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
PAGE = (CHECKOUT / "docs" / "worktodo.md").read_text(encoding="utf-8")


def test_each_promise_names_a_test_that_there_is() -> None:
    rows = re.findall(r"^\| [\dA., ]+ \| .* \| (.*) \|$", PAGE, re.MULTILINE)
    named = [re.fullmatch(r"`(test_\w+)`", cell) for cell in rows]
    assert len(rows) > 30 and all(named)
    files = (path for part in ("flows", "monitor", "tests") for path in (CHECKOUT / part).rglob("test_*.py"))
    there = {name for path in files for name in re.findall(r"^def (test_\w+)", path.read_text("utf-8"), re.M)}
    assert {each[1] for each in named if each} <= there
