"""Pagination by key instead of by offset, so that the cost of a page does not depend on its position."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
Key = int | tuple[int, ...]

PAGE_SIZE = 50


@dataclass(frozen=True)
class Cursor:
    """The start of a page: before a key (smaller keys), after a key (greater keys), or neither (the top)."""

    before: Key | None = None
    after: Key | None = None
    size: int = PAGE_SIZE


@dataclass(frozen=True)
class Page(Generic[T]):
    """One page in display order; `newer` and `older` are the keys of the next pages, None at the ends."""

    items: list[T]
    newer: Key | None
    older: Key | None


def cut(found: list[T], cursor: Cursor, key: Callable[[T], Key], *, oldest_first: bool = False) -> Page[T]:
    """Return a page from up to size + 1 rows, the nearest to the cursor first; newest or oldest first."""
    more = len(found) > cursor.size
    items = found[: cursor.size]
    upward = cursor.after is not None or (oldest_first and cursor.before is None)
    if upward != oldest_first:
        items.reverse()
    if not items:
        return Page([], None, None)
    newer_left = more if upward else cursor.before is not None
    older_left = cursor.after is not None if upward else more
    newest, oldest = (items[-1], items[0]) if oldest_first else (items[0], items[-1])
    return Page(items, key(newest) if newer_left else None, key(oldest) if older_left else None)
