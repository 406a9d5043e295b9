"""A page of a history as a timeline: when each job was fired, begun and finished, on one axis of time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

from flows.queries.history.steps import Failure, Times
from monitor.history.steps import ShownStep

WIDTH = 1000
# A gap is drawn no longer than this many usual ones.
FOLD = 4


@dataclass(frozen=True)
class Span:
    """A part of a row of the picture, in thousandths of its width; `text` is what it stands for."""

    x: int
    width: int
    text: str = ""


@dataclass(frozen=True)
class Bar:
    """A step with the times of its job: `waited` up to the transaction that finished it, `ran` within it.

    `failures` are failed attempts. A step of the kernel has no job and only the moment `end`.
    """

    shown: ShownStep
    fired_at: datetime | None
    waited: timedelta | None
    ran: timedelta | None
    wait: Span | None
    run: Span
    failures: list[Span]


@dataclass(frozen=True)
class Timeline:
    """The rows, and the gaps that are drawn shorter than they are."""

    bars: list[Bar]
    folds: list[tuple[Span, timedelta]]
    start: datetime | None
    end: datetime | None


class Axis:
    """Places moments on the width of the picture; gaps much longer than the others are folded."""

    def __init__(self, moments: Iterable[datetime], fold: bool) -> None:
        self.points = sorted(set(moments))
        gaps = [(b - a).total_seconds() for a, b in pairwise(self.points)]
        usual = median(gaps) if gaps else 0.0
        most = FOLD * usual if fold and usual > 0 else float("inf")
        self.folded = [gap > most for gap in gaps]
        drawn = [min(gap, most) for gap in gaps]
        total = sum(drawn) or 1.0
        self.at: dict[datetime, int] = {}
        place = 0.0
        for moment, gap in zip(self.points, [*drawn, 0.0], strict=True):
            self.at[moment] = round(place / total * (WIDTH - 8)) + 2
            place += gap

    def span(self, start: datetime, end: datetime) -> Span:
        return Span(self.at[start], max(4, self.at[end] - self.at[start]))

    def folds(self) -> list[tuple[Span, timedelta]]:
        pairs = zip(pairwise(self.points), self.folded, strict=True)
        return [(self.span(a, b), b - a) for (a, b), folded in pairs if folded]


def timeline(
    shown: Sequence[ShownStep], times: dict[int, Times], failures: Sequence[Failure], *, fold: bool = True
) -> Timeline:
    """Return the timeline of a page of steps."""
    steps = [(each, _times(each, times)) for each in shown]
    jobs = {each.step.job_id for each in shown}
    failed = [one for one in failures if one.job_id in jobs]
    moments = [m for each, known in steps for m in (known.fired_at, known.begun_at, each.step.at) if m]
    inside = [one for one in failed if moments and min(moments) <= one.at <= max(moments)]
    axis = Axis([*moments, *(one.at for one in inside)], fold)
    bars = [_bar(axis, each, known, inside) for each, known in steps]
    points = axis.points
    return Timeline(bars, axis.folds(), points[0] if points else None, points[-1] if points else None)


def _times(each: ShownStep, times: dict[int, Times]) -> Times:
    """Return the times of a step; clocks that disagree are put in order."""
    known = times.get(each.step.seq, Times(None, None))
    fired = min(known.fired_at, each.step.at) if known.fired_at else None
    begun = min(known.begun_at, each.step.at) if known.begun_at and fired else None
    return Times(fired, max(begun, fired) if begun and fired else None)


def _bar(axis: Axis, each: ShownStep, known: Times, failures: Sequence[Failure]) -> Bar:
    fired, end = known.fired_at, each.step.at
    begun = known.begun_at or end
    return Bar(
        each,
        fired,
        begun - fired if fired else None,
        end - begun if fired else None,
        axis.span(fired, begun) if fired else None,
        axis.span(begun, end),
        [Span(axis.at[one.at], 4, one.message) for one in failures if one.job_id == each.step.job_id],
    )
