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


def cut(found: list[T], cursor: Cursor, key: Callable[[T], Key]) -> Page[T]:
    """Return a page, newest first, from up to size + 1 rows, the nearest to the cursor first."""
    more = len(found) > cursor.size
    items = found[: cursor.size]
    if cursor.after is not None:
        items.reverse()
    if not items:
        return Page([], None, None)
    came_from_newer = cursor.before is not None
    newer_left = more if cursor.after is not None else came_from_newer
    older_left = True if cursor.after is not None else more
    return Page(items, key(items[0]) if newer_left else None, key(items[-1]) if older_left else None)
