"""What the content of a draft was translated from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flows.statements import JSON, value
from flows.types import MAIN


def keep_draft_source(flow: str, source: Mapping[str, Any], branch: str = MAIN, *, conn: Any = None) -> None:
    """Keep with the present content of a draft what it was translated from, as `keep_source` does.

    It becomes the source of the version that is published of this content. Raises UnknownFlow, UnknownDraft.
    """
    value(conn, "select wedsql.keep_draft_source(%s, %s, %s)", (flow, JSON(source), branch))


def read_draft_source(flow: str, branch: str = MAIN, *, conn: Any = None) -> Mapping[str, Any] | None:
    """Return the source that the current content of a draft was translated from, or None.

    Raises UnknownDraft.
    """
    return value(conn, "select wedsql.draft_source(%s, %s)", (flow, branch))
