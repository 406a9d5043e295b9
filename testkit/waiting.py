"""Waiting for a condition."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

from psycopg import Connection

Found = TypeVar("Found")
_SHARE, _LONGEST = 0.04, 0.25


def until(
    condition: Callable[[], Found],
    seconds: float = 60.0,
    what: str | Callable[[], str] = "the condition never held",
    *,
    ignored: tuple[type[Exception], ...] = (),
    pause: float = 0.02,
) -> Found:
    """Return the first true result of a condition, which may raise `ignored` until then.

    The longer it has waited, the longer are its pauses (`pause_after`). Raises TimeoutError with `what` when
    there is none within these seconds.
    """
    begun = time.monotonic()
    while True:
        try:
            if found := condition():
                return found
        except ignored:
            pass
        waited = time.monotonic() - begun
        if waited > seconds:
            raise TimeoutError(f"{what() if callable(what) else what} (waited {seconds:g} s)")
        time.sleep(pause_after(waited, pause))


def pause_after(waited: float, shortest: float) -> float:
    """Return how long to pause after so many seconds: as long as delays the result by 4 % at most.

    Who looks all the time takes the processor from what it waits for.
    """
    return max(shortest, min(waited * _SHARE, _LONGEST))


def until_counted(connection: Connection[Any]) -> None:
    """Count all of the history into the figures, also what other tests of the same server have written.

    One call counts some steps, and none while another session counts.
    """
    count = "select (wedsql.count_history() ->> 'more')::boolean"
    until(lambda: (connection.execute(count).fetchone() or (None,))[0] is False)
