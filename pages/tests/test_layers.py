"""The parts of pages import no other app of the project, so that every app can use them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
OTHERS = {"flows", "workers", "monitor", "wedsql_site", "BaseWorker", "bench", "chaos", "tests"}


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def test_the_parts_of_pages_import_no_other_app() -> None:
    files = [path for path in PACKAGE.rglob("*.py") if "tests" not in path.relative_to(PACKAGE).parts]
    found = {(path.name, name) for path in files for name in imported(path) if name.split(".")[0] in OTHERS}

    assert len(files) > 10
    assert found == set()


def test_the_scripts_of_pages_import_only_each_other() -> None:
    scripts = list((PACKAGE / "static").rglob("*.js"))

    assert len(scripts) > 5
    assert [path.name for path in scripts if "../" in path.read_text()] == []
