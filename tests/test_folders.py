"""A folder holds at most 25 files: one with more is cut into rooms that show what belongs together."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

CHECKOUT = Path(__file__).resolve().parents[1]
LIMIT = 25
# Folders whose form is not chosen here, and why.
FLAT = {
    "docs": "each page has its address",
    "docs/images/wsql": "one diagram for each rule of the grammar, under its name",
    "flows/api": "one module for each topic",
    "flows/management/commands": "Django finds commands in this folder only",
    "flows/migrations": "numbered, in one order",
    "flows/sql/tables": "numbered, in one order",
    "flows/static/flows/designer": "templates and scripts name each by its address",
    "monitor/static/monitor": "templates and scripts name each by its address",
    "pages/static/pages": "templates and scripts name each by its address",
    "tests/isolation/specs": "one file for each pair of operations, under their names",
}
# Folders that are still to be cut, with the number of their files. The list only becomes shorter, as do they.
LARGE = {
    "templates/admin/flows/designer/parts": 41,
    "templates/monitor/parts": 65,
}


def sizes(names: Iterable[str]) -> Counter[str]:
    """Return the number of files of each folder, without those of the folders in it."""
    return Counter(str(PurePosixPath(name).parent) for name in names)


def files() -> list[str]:
    """Return the files of the checkout, new ones included."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [name for name in listed.stdout.splitlines() if (CHECKOUT / name).exists()]


def too_large(found: Counter[str]) -> dict[str, int]:
    """Return the folders with more files than they may have."""
    return {
        folder: number
        for folder, number in found.items()
        if folder not in FLAT and number > LARGE.get(folder, LIMIT)
    }


def test_no_folder_has_more_files_than_a_reader_surveys() -> None:
    found = sizes(files())
    assert len(found) > 100, "the files were listed"
    assert too_large(found) == {}, "cut these folders into rooms (docs/architecture.md)"


def test_what_is_smaller_is_off_the_list() -> None:
    found = sizes(files())
    assert {folder: found[folder] for folder in LARGE} == LARGE, (
        "write the smaller number, or remove the folder"
    )
    assert [folder for folder in FLAT if found[folder] <= LIMIT] == []


def test_a_folder_with_too_many_files_is_found() -> None:
    many = [f"flows/new/{number}.py" for number in range(LIMIT + 1)]
    assert too_large(sizes([*many, "flows/new/room/one.py"])) == {"flows/new": LIMIT + 1}
    assert too_large(sizes(many[1:])) == {}
