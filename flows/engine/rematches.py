"""The re-match of a flow with many instances, which follows its publication in batches."""

from __future__ import annotations

import time
from typing import Any

from flows.engine.connection import value
from flows.errors import TryAgain
from flows.types import PublishReport

_PAUSE = 0.05
# Instances that other sessions have locked for longer are left to the reaper.
_LONGEST_WAIT = 5.0


def continue_rematch(flow: str, version: int, *, conn: Any = None) -> PublishReport | None:
    """Re-match the next instances and return the report so far; None if no such re-match is on its way.

    In a transaction of its own, again and again until `left` is 0; any number of sessions may. Raises
    UnknownFlow; TryAgain while the definition changes.
    """
    report = value(conn, "select wedsql.continue_rematch(%s, %s)", (flow, version))
    return None if report is None else as_report(report)


def finish_rematch(flow: str, version: int, *, conn: Any = None) -> PublishReport | None:
    """Continue a re-match to its end, in autocommit mode, and return the report; None as continue_rematch.

    Returns before the end, with `left`, when other sessions hold the rest for five seconds; the reaper
    continues then. Raises UnknownFlow.
    """
    last: PublishReport | None = None
    since = time.monotonic()
    while time.monotonic() - since < _LONGEST_WAIT:
        try:
            found = continue_rematch(flow, version, conn=conn)
        except TryAgain:
            time.sleep(_PAUSE)
            continue
        if found is None or found.left == 0:
            return found or last
        if found != last:
            last, since = found, time.monotonic()
        else:
            time.sleep(_PAUSE)
    return last


def rematch_due(*, conn: Any = None) -> str | None:
    """Continue one re-match by a batch and return its flow; None if there is nothing to do now.

    For the reaper, in a transaction of its own. A failure is kept for the health page.
    """
    return value(conn, "select wedsql.rematch_due()", ())


def as_report(found: dict[str, Any]) -> PublishReport:
    """Return a report of the kernel; what it says by trigger belongs to a publication only."""
    return PublishReport(**{name: found[name] for name in PublishReport.__slots__ if name in found})
