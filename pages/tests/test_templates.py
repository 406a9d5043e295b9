"""Lines of templates, styles and scripts are short enough to read; columns have a name for each reader."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings

LONGEST = {"html": 140, "css": 110, "js": 140}


def files(kind: str) -> list[Path]:
    base = Path(settings.BASE_DIR)
    folders = ("templates", "pages", "monitor", "flows", "workers", "wedsql_site")
    found = (path for folder in folders for path in (base / folder).rglob(f"*.{kind}"))
    return [path for path in found if "vendor" not in path.parts]


@pytest.mark.parametrize("kind", LONGEST)
def test_no_line_is_too_long(kind: str) -> None:
    assert len(files(kind)) > 5
    long = [
        f"{path.name}:{number}"
        for path in files(kind)
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > LONGEST[kind]
    ]
    assert long == []


def test_each_column_has_a_heading() -> None:
    """At least one for screen readers: a page is examined at one width, and phones hide headings."""
    empty = re.compile(r"""<th\b[^>]*></th>|\{% column (""|'')""")
    assert [path.name for path in files("html") if empty.search(path.read_text())] == []
