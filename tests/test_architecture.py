"""docs/architecture.md: its picture matches the sources, and the files it names exist."""

from __future__ import annotations

import os
import re

import pytest

from tests.architecture import draw
from tests.imports import ROOT, imports, modules

PICTURE = ROOT / "docs" / "images" / "architecture.svg"
PAGES = ("docs/architecture.md", "CONTRIBUTING.md")


def test_the_picture_is_that_of_the_sources() -> None:
    found = modules()
    drawn = draw(found, imports(found))
    if os.environ.get("WEDSQL_WRITE_PICTURE"):
        PICTURE.write_text(drawn)
    assert PICTURE.read_text() == drawn, (
        f"WEDSQL_WRITE_PICTURE=1 python -m pytest tests/test_architecture.py writes {PICTURE.name}"
    )


@pytest.mark.parametrize("page", PAGES)
def test_every_file_that_the_page_names_exists(page: str) -> None:
    text = re.sub(r"```.*?```", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    named = set(re.findall(r"`((?:[\w.-]+/)+[\w.-]*)`", text))
    assert named, "the page names files"
    assert sorted(name for name in named if not (ROOT / name).exists()) == []


def test_the_page_names_every_folder_of_the_kernel() -> None:
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    folders = [f"`flows/sql/{each.name}/`" for each in (ROOT / "flows" / "sql").iterdir() if each.is_dir()]
    assert [each for each in folders if each not in text] == []
