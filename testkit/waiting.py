"""Waiting for a condition."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")


def until(
    condition: Callable[[], Found],
    seconds: float = 60.0,
    what: str | Callable[[], str] = "the condition never held",
    *,
    ignored: tuple[type[Exception], ...] = (),
    pause: float = 0.02,
) -> Found:
    """Return the first true result of a condition, which may raise `ignored` until then.

    Raises TimeoutError with `what` when there is none within these seconds.
    """
    end = time.monotonic() + seconds
    while True:
        try:
            if found := condition():
                return found
        except ignored:
            pass
        if time.monotonic() > end:
            raise TimeoutError(f"{what() if callable(what) else what} (waited {seconds:g} s)")
        time.sleep(pause)
