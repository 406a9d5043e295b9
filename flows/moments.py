"""Moments that lie ahead."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

LAST = datetime.max.replace(tzinfo=UTC)


def later(seconds: float) -> datetime:
    """Return the time so many seconds from now; the last one that there is for what comes after that.

    How far ahead a moment may be is the kernel's rule for what it is for: no door has a limit of its own.
    """
    now = datetime.now(UTC)
    return now + timedelta(seconds=seconds) if seconds < (LAST - now).total_seconds() else LAST
