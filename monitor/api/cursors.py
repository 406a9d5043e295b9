"""Cursors of pages: opaque texts for clients, keys of the page's first or last row for queries."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import Field

from flows.queries.jobs import QueuePosition
from flows.queries.paging import Cursor, Page

_POSITION = r"([^~\x00]{1,200})~(-?[0-9]{1,5})~([0-9]{1,18})"
PositionCursor = Annotated[str, Field(pattern=f"^({_POSITION})?$")]


def cursor(text: str, limit: int) -> Cursor:
    """Return the cursor of a text, the first page for ""; there is no row behind the largest number."""
    if not text:
        return Cursor(size=limit)
    key = min(int(text[1:]), 2**31 - 1)
    return Cursor(before=key, size=limit) if text[0] == "b" else Cursor(after=key, size=limit)


def ends(page: Page[Any], *, oldest_first: bool = False) -> dict[str, str | None]:
    """Return the cursors of the next and the previous page, in the order of the list."""
    older = f"b{page.older}" if page.older is not None else None
    newer = f"a{page.newer}" if page.newer is not None else None
    return {"next": newer, "previous": older} if oldest_first else {"next": older, "previous": newer}


def position(text: str) -> QueuePosition | None:
    """Return the place in a queue of jobs, None for the first page."""
    found = re.fullmatch(_POSITION, text, re.ASCII)
    return found and QueuePosition(found[1], int(found[2]), int(found[3]))


def position_text(place: QueuePosition | None) -> str | None:
    """Return the cursor of a place in a queue."""
    return f"{place.transition}~{place.priority}~{place.id}" if place else None
