"""The numbers of a window of a flow, beside those of an earlier window."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from flows import api
from flows.capabilities.figures.api import Figures
from monitor.windows import Window


@dataclass(frozen=True)
class Tile:
    """A number of a window with that of the earlier one; `what` are the instances that it counts.

    Times (`timed`) are in seconds, None without any.
    """

    name: str | Promise
    what: str
    value: float | None
    was: float | None = None
    timed: bool = False

    @property
    def change(self) -> float | None:
        """Return by which share the number grew, None where the earlier one is zero or unknown."""
        return self.value / self.was - 1 if self.was and self.value is not None else None


# Each with what it counts, its field of Figures, and whether it is a time.
TILES: tuple[tuple[str | Promise, str, str, bool], ...] = (
    (_("Started"), "started", "started", False),
    (_("Final"), "finished", "finished", False),
    (_("Exceptions"), "excepted", "exceptions", False),
    (_("Half took up to"), "finished", "elapsed_p50", True),
    (_("95 of 100 took up to"), "finished", "elapsed_p95", True),
)


def tiles(flow: str, window: Window, earlier: Window | None) -> list[Tile]:
    """Return the numbers of the instances of a flow in a window, and in the earlier one if any."""
    now, was = _whole(flow, window), _whole(flow, earlier) if earlier else None
    return [
        Tile(name, what, _value(now, of, timed), _value(was, of, timed) if earlier else None, timed)
        for name, what, of, timed in TILES
    ]


def _whole(flow: str, window: Window) -> Figures | None:
    found = api.figures.of_flow(flow, window.since, window.until, window.until - window.since)
    return next((each for each in found if each.transition is None), None)


def _value(found: Figures | None, of: str, timed: bool) -> float | None:
    value: float | None = getattr(found, of, None)
    return value if timed else value or 0
