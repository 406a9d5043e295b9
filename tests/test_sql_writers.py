"""Which files of the kernel write an instance, a job, or a row of the history: the list gets shorter only.

`sql_writers.toml` has it. A new writer calls a function of a file that is listed; a file that writes none any
more is removed from the list. Names of tables that are put together at run time are not seen.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from flows import kernel
from tests.sql_calls import code

LAW: Mapping[str, Mapping[str, list[str]]] = tomllib.loads(
    Path(__file__).with_name("sql_writers.toml").read_text(encoding="utf-8")
)
ROOT = Path(__file__).parents[1]
PACKAGES = ("flows", "monitor", "workers", "wedsql_site", "BaseWorker", "pages")
# How many files write each table at most: lower a number when the list gets shorter.
MOST = {
    "instance": {"insert": 4, "update": 10, "delete": 2},
    "job_pool": {"insert": 6, "update": 24, "delete": 9},
    "wed_trace": {"insert": 6, "update": 2, "delete": 2},
}
_WRITE = re.compile(
    r"\b(insert\s+into|update|delete\s+from|merge\s+into|truncate(?:\s+table)?)\s+(?:only\s+)?"
    rf"wedsql\s?\.\s?({'|'.join(MOST)})\b",
    re.IGNORECASE,
)


def writes(text: str) -> set[tuple[str, str]]:
    """Return the tables that a text in SQL writes, each with "insert", "update", "delete" and so on."""
    return {(table, words.split()[0].lower()) for words, table in _WRITE.findall(text)}


def writers(texts: Iterable[tuple[str, str]]) -> dict[str, dict[str, list[str]]]:
    """Return the files that write each table, by what they do."""
    found: dict[str, dict[str, set[str]]] = {}
    for name, text in texts:
        for table, what in writes(code(text)):
            found.setdefault(table, {}).setdefault(what, set()).add(name)
    return {
        table: {what: sorted(names) for what, names in sorted(kinds.items())}
        for table, kinds in sorted(found.items())
    }


def files() -> Iterator[tuple[str, str]]:
    """Yield the files of the kernel that are installed with each version, each with its text."""
    for path in kernel.files():
        yield str(path.relative_to(kernel.SQL_DIR.parent)), path.read_text(encoding="utf-8")


def test_only_the_files_of_the_list_write_instances_jobs_and_the_history() -> None:
    assert writers(files()) == LAW, "call a function that writes it; remove what no longer does"


def test_the_list_gets_no_longer() -> None:
    counts = {table: {what: len(names) for what, names in kinds.items()} for table, kinds in LAW.items()}
    longer = [
        (table, what)
        for table, kinds in counts.items()
        for what, count in kinds.items()
        if count > MOST.get(table, {}).get(what, 0)
    ]
    assert longer == []


def test_no_program_writes_them() -> None:
    """Only the kernel does (docs/architecture.md)."""
    found = {
        str(path.relative_to(ROOT))
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if not {"tests", "migrations"} & set(path.parts) and writes(path.read_text(encoding="utf-8"))
    }
    assert found == set()


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("update wedsql.instance i set status = 'F'", {("instance", "update")}),
        ("with x as (insert into wedsql.job_pool (id) values (1)) select 1", {("job_pool", "insert")}),
        ("delete from only wedsql.wed_trace t", {("wed_trace", "delete")}),
        ("merge into wedsql.instance i using x on true", {("instance", "merge")}),
        ("execute 'UPDATE wedsql.job_pool SET id = 1'", {("job_pool", "update")}),
        ("truncate wedsql.wed_trace", {("wed_trace", "truncate")}),
        ("-- update wedsql.instance", set()),
        ("select * from wedsql.instance for no key update", set()),
        ("update wedsql.instance_note n set a = 1", set()),
    ],
)
def test_a_statement_that_writes_is_seen(text: str, seen: set[tuple[str, str]]) -> None:
    added = f"create or replace function wedsql._new() as $$ begin {text}\n; end $$;"
    found: dict[str, Any] = writers([("new.sql", added)])
    assert {(table, what) for table, kinds in found.items() for what in kinds} == seen
