"""The files of a folder that tests/bpmn_folder.py names: each is accepted, or refused with its reason."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.languages.bpmn import BadBpmn
from flows.loading.bpmn_files import check_processes

FOLDER = Path(os.environ["WEDSQL_BPMN_FOLDER"])
TABLE = os.environ.get("WEDSQL_BPMN_TABLE", "")
_EXPORTER = re.compile(rb"""\bexporter\s*=\s*["']([^"']{1,60})""")


def files() -> list[Path]:
    return sorted(each for each in FOLDER.rglob("*") if each.suffix in (".bpmn", ".bpmn2", ".xml"))


def reasons(content: bytes) -> Iterator[str]:
    """Return why a file is not accepted, nothing if it is."""
    try:
        for each in check_processes(content):
            errors = [problem for problem in each.problems if problem.severity == "error"]
            if not each.accepted:
                yield from (
                    f"line {problem.line}, {problem.element}: {problem.message}" for problem in errors
                )
    except BadBpmn as error:
        yield from (f"line {problem.line}: {problem.message}" for problem in error.problems)


@pytest.mark.django_db
def test_each_file_is_accepted_or_refused_with_reasons() -> None:
    rows, accepted = [], 0
    for path in files():
        content = path.read_bytes()
        why = [*reasons(content)]
        tool = _EXPORTER.search(content)
        accepted += not why
        name = tool[1].decode("utf-8", "replace") if tool else ""
        said = "<br>".join(why).replace("|", "\\|").replace("\n", " ")
        rows.append(f"| {path.relative_to(FOLDER)} | {name} | {'no' if why else 'yes'} | {said} |")
    table = "\n".join(["| file | tool | accepted | why not |", "|---|---|---|---|", *rows])
    if TABLE:
        Path(TABLE).write_text(table + "\n", encoding="utf-8")
    print(f"\n{'' if TABLE else table}\n{accepted} of {len(rows)} files are accepted.")
    assert rows
