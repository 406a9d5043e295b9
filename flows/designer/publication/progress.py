"""How far a publication is that the reaper makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from flows.types import Publication

# A publication whose time comes within this time is followed by the page.
SOON = timedelta(minutes=1)


@dataclass(frozen=True)
class Progress:
    """What is done: `waits` for its time, `publishing` in one transaction, or `rematching` afterwards.

    `done` of `all` living instances are re-matched; `expected` is how many seconds were estimated.
    """

    phase: Literal["waits", "publishing", "rematching"]
    since: datetime | None = None
    expected: float = 0.0
    done: int = 0
    all: int = 0


def progress(publication: Publication, now: datetime) -> Progress | None:
    """Return how far a publication is; None if its time is not near, or it is at its end."""
    if publication.status == "published":
        return _rematching(publication, publication.report or {})
    if publication.status != "approved" or not publication.publish_at:
        return None
    if publication.publish_at > now + SOON:
        return None
    if publication.tried_at is None or publication.sqlstate:
        return Progress("waits")
    expected = float((publication.prediction or {}).get("estimated_seconds") or 0)
    return Progress("publishing", publication.tried_at, expected)


def _rematching(publication: Publication, report: Mapping[str, Any]) -> Progress | None:
    done, left = int(report.get("checked", 0)), int(report.get("left", 0))
    if not left or "superseded_by" in report:
        return None
    return Progress("rematching", publication.tried_at, 0.0, done, done + left)
