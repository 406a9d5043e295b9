"""The time that checks may take."""

from __future__ import annotations

import time


class Budget:
    """A number of seconds from now on."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def spent(self) -> bool:
        return time.monotonic() >= self._end
