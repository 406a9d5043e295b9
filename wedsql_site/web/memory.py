"""Memory that requests have freed and the process still has: it is returned to the operating system.

The allocator keeps what a thread has freed for that thread, so that after one large import on each of them
the process would keep several times what one import takes.
"""

from __future__ import annotations

import ctypes
import gc
import os
import threading
from pathlib import Path

# To return memory costs about as much as a page, so it is done once for this growth of the process.
STEP = 16 * 1024 * 1024

_STATM = Path("/proc/self/statm")


def resident() -> int:
    """Return the bytes of this process that are in memory; 0 where the system does not say."""
    try:
        return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


class FreedMemory:
    """Returns what is free when the process has grown.

    The request at whose end this happens may still have its objects, so it happens once more after the next.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._settled = resident()
        self._once_more = False

    def return_if_grown(self) -> None:
        """Return the free memory to the system if the process has grown by STEP since the last time."""
        if resident() - self._settled < STEP and not self._once_more:
            return
        if self._lock.acquire(blocking=False):
            try:
                gc.collect()
                _trim()
                self._settled, self._once_more = resident(), not self._once_more
            finally:
                self._lock.release()


def _trim() -> None:
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # only the C library of GNU has it
    if trim is not None:
        trim(0)
