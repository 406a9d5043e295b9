"""What happened in a flow, by hours or other steps of time, from the figures that the reaper counts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from flows.statements import rows, value

HOUR = timedelta(hours=1)


@dataclass(frozen=True)
class Figures:
    """What happened in one step of time, in a flow (`transition` None) or in one of its transitions.

    Times are in seconds, None without any: `elapsed` from the start of an instance to its final state, or
    from the firing of a transition to its result; `waited` and `ran` as workers measured. They are exact up
    to the width of a bucket, a factor of the square root of two for `elapsed`.
    """

    at: datetime
    transition: str | None
    started: int
    finished: int
    exceptions: int
    done: int
    failed: int
    elapsed_p50: float | None
    elapsed_p95: float | None
    waited_p50: float | None
    waited_p95: float | None
    ran_p50: float | None
    ran_p95: float | None


def figures(
    flow: str, since: datetime, until: datetime, every: timedelta = HOUR, *, conn: Any = None
) -> list[Figures]:
    """Return the figures of a flow and of its transitions from `since` to `until`, where any is not zero.

    Figures are kept by minute for 8 days, by hour for 60 days, and by day for a year.

    Raises:
        UnknownFlow: there is no such flow.
    """
    found = rows(
        conn,
        "select * from wedsql.figures(%s, %s::timestamptz, %s::timestamptz, %s::interval)",
        (flow, since, until, every),
    )
    return [Figures(*each) for each in found]


@dataclass(frozen=True)
class TransitionFigures:
    """What a transition did in a window; times are in seconds, None without any.

    `total` is about how long all its jobs took together, from firing to result, and `share` its part of
    that of all transitions, 0 to 1. The percentiles are as in Figures.
    """

    transition: str
    done: int
    failed: int
    total: float
    share: float
    elapsed_p50: float | None
    elapsed_p95: float | None
    waited_p50: float | None
    waited_p95: float | None
    ran_p50: float | None
    ran_p95: float | None

    @property
    def error_rate(self) -> float:
        """Return the share of the attempts that failed, 0 to 1."""
        return self.failed / (self.done + self.failed) if self.done + self.failed else 0.0


def transition_figures(
    flow: str, since: datetime, until: datetime, *, conn: Any = None
) -> list[TransitionFigures]:
    """Return the figures of each transition of a flow from `since` to `until`, in the order of their names.

    A window that begins more than 8 days ago is read by whole hours, one of more than 60 days ago by whole
    days.

    Raises:
        UnknownFlow: there is no such flow.
    """
    statement = "select * from wedsql.transition_figures(%s, %s::timestamptz, %s::timestamptz)"
    return [TransitionFigures(*each) for each in rows(conn, statement, (flow, since, until))]


def count_history(limit: int = 20_000, *, conn: Any = None) -> dict[str, Any] | None:
    """Count about `limit` new steps of the history into the figures, as the reaper does every few seconds.

    Return their number (`steps`) and whether there are more (`more`); None while another session counts.
    """
    return value(conn, "select wedsql.count_history(%s::integer)", (limit,))
