"""Cursors of pages: opaque texts for clients, keys of the page's first or last row for queries."""

from __future__ import annotations

import re
from typing import Any

from flows.queries.jobs import QueuePosition
from flows.queries.paging import Cursor, Page
from monitor.api.problems import Problem

_TEXT = re.compile(r"([ba])([0-9]{1,10})", re.ASCII)


def cursor(text: str, limit: int) -> Cursor:
    """Return the cursor of a text, the first page for "". Raises Problem."""
    if not text:
        return Cursor(size=limit)
    found = _TEXT.fullmatch(text)
    key = int(found[2]) if found else 2**31
    if found is None or key >= 2**31:
        raise _bad()
    return Cursor(before=key, size=limit) if found[1] == "b" else Cursor(after=key, size=limit)


def ends(page: Page[Any], *, oldest_first: bool = False) -> dict[str, str | None]:
    """Return the cursors of the next and the previous page, in the order of the list."""
    older = f"b{page.older}" if page.older is not None else None
    newer = f"a{page.newer}" if page.newer is not None else None
    return {"next": newer, "previous": older} if oldest_first else {"next": older, "previous": newer}


def position(text: str) -> QueuePosition | None:
    """Return the place in a queue of jobs, None for the first page. Raises Problem."""
    if not text:
        return None
    found = re.fullmatch(r"([^~\x00]{1,200})~(-?[0-9]{1,5})~([0-9]{1,18})", text, re.ASCII)
    if found is None:
        raise _bad()
    return QueuePosition(found[1], int(found[2]), int(found[3]))


def position_text(place: QueuePosition | None) -> str | None:
    """Return the cursor of a place in a queue."""
    return f"{place.transition}~{place.priority}~{place.id}" if place else None


def _bad() -> Problem:
    return Problem(422, "The cursor is not valid.", "Use `next` or `previous` of a page as it is.")
