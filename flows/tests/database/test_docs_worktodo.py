"""The page about WorkToDo has every row, and names tests and pages that there are, or why it is not done."""

from __future__ import annotations

import re
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[3]
DOCS = CHECKOUT / "docs"
PAGE = (DOCS / "worktodo.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| T-(\d{3}) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", PAGE, re.MULTILINE)
# The promises by their parts: concepts, model, PDL, architecture, people, deadlines, sequences, transfers,
# work without a connection and with a bad one, the prototype, its simplifications, future work, operations.
ALL = (
    (1, 17), (20, 38), (50, 73), (80, 112), (120, 129), (130, 139), (145, 146), (150, 154), (160, 165),
    (170, 194), (200, 208), (220, 233), (270, 281), (283, 284), (290, 300), (310, 323),
)  # fmt: skip


def there() -> set[str]:
    """Return the names of the tests of the product."""
    parts = ("flows", "monitor", "tests", "workers", "wedsql_site")
    files = (path for part in parts for path in (CHECKOUT / part).rglob("test_*.py"))
    return {name for path in files for name in re.findall(r"^def (test_\w+)", path.read_text("utf-8"), re.M)}


def test_each_row_of_the_dissertation_is_there_once_in_order() -> None:
    wanted = [number for first, last in ALL for number in range(first, last + 1)]
    assert [int(number) for number, *_rest in ROWS] == wanted
    assert PAGE.count("\n| T-") == len(ROWS), "a row has another form"


def test_each_row_names_a_test_or_a_page_that_there_is_or_why_it_is_not_done() -> None:
    tests = there()
    for number, _section, _promise, by in ROWS:
        name = re.fullmatch(r"`(test_\w+)`", by)
        page = re.fullmatch(r"\[([\w-]+\.md)\]\(\1\)", by)
        why = re.fullmatch(r"not done: .{10,}", by)
        assert (name and name[1] in tests) or (page and (DOCS / page[1]).exists()) or why, f"T-{number}: {by}"


def test_a_test_that_is_named_by_a_row_shows_it() -> None:
    """No row says that it is not done and has a test of its number; 048 is a case of the kernel."""
    numbered = {name[6:9] for name in there() if re.match(r"test_t\d{3}_", name)}
    undone = {number for number, _section, _promise, by in ROWS if by.startswith("not done")}
    assert numbered & undone == set() and numbered <= {number for number, *_rest in ROWS} | {"048"}


def test_each_of_the_ten_operations_of_an_administrator_has_a_test() -> None:
    numbered = {int(found[1]) for name in there() if (found := re.match(r"test_t127_(\d+)_", name))}
    assert numbered == set(range(1, 11))
