"""Modules are named by nouns of the field, such as `conditions`, not by participles, such as `reading`."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
ELSEWHERE = re.compile(r"(^|/)(tests|migrations|commands|findings|testkit|bench|chaos)/|conftest")
PARTICIPLE = re.compile(
    r"(?:^|_)(?:\w+(?:ing|ed)|built|chosen|done|drawn|found|given|held|hidden|kept|known|left|lost|made|read|said|sent"
    r"|shown|taken|unread|worn|written)$"
)
# Nouns of this form, and an adjective of a term of the field.
NOUNS = {"feed", "wed", "routing", "testing", "timing", "paging", "naming", "indexing", "pacing", "masking"}
# Names that are still to be replaced. The list only becomes shorter: write no new one into it.
LEFT: set[str] = set()


def participles() -> set[str]:
    listed = subprocess.run(
        ["git", "ls-files", "*.py"], cwd=CHECKOUT, capture_output=True, text=True, check=True
    )
    names = {
        name for name in listed.stdout.split() if not ELSEWHERE.search(name) and (CHECKOUT / name).exists()
    }
    assert len(names) > 500
    return {name for name in names if PARTICIPLE.search(Path(name).stem) and Path(name).stem not in NOUNS}


def test_no_further_module_is_named_by_a_participle() -> None:
    assert participles() - LEFT == set(), "name these by nouns (CONTRIBUTING.md, Wording)"


def test_what_has_a_better_name_is_off_the_list() -> None:
    assert LEFT - participles() == set(), "remove these from the list"
