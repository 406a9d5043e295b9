"""Each finding is listed, runs without the product, and asks a pinned version of what it is about."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from wedsql_site.environment import CHECKOUT

PLACE = CHECKOUT / "findings"
SCRIPTS = sorted(PLACE.glob("*.sh"))
# An exact version on PyPI or npm, in the script or in a variable of it.
PINNED = re.compile(r"[\w.-]+(?:\[\w+\])?(?:==|@)\d+\.[\w.]+|==\$|@\$")
PRODUCT = re.compile(r"(?:from|import) (?:flows|workers|monitor|pages|wedsql_site|BaseWorker|testkit)\b")


def test_the_page_lists_every_finding() -> None:
    listed = re.findall(r"^\| `([\w.-]+)` \| \S", (PLACE / "README.md").read_text(), re.MULTILINE)
    assert sorted(listed) == [path.name for path in SCRIPTS] and len(SCRIPTS) >= 5


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_finding_stands_by_itself(path: Path) -> None:
    text = path.read_text()
    assert os.access(path, os.X_OK) and text.startswith("#!")
    assert subprocess.run(["bash", "-n", str(path)], check=False).returncode == 0
    assert PINNED.search(text) and not PRODUCT.search(text)
    assert "mktemp -d" in text and str(CHECKOUT) not in text
