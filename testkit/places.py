"""The place of temporary files: memory, where there is enough; databases create and delete many files."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from pathlib import Path

_MEMORY = Path("/dev/shm")  # noqa: S108 - a directory of our own is made there
_NEEDED = 4 * 2**30  # bytes


def use_memory() -> None:
    """Make this process and its children create temporary files in memory if there is space for them."""
    place = _MEMORY / f"wedsql-tests-{os.geteuid()}"
    if "TMPDIR" in os.environ or not _has_space():
        return
    place.mkdir(mode=0o711, exist_ok=True)  # the server's user can pass through
    found = place.lstat()
    if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid():
        os.environ["TMPDIR"] = str(place)
        tempfile.tempdir = None  # it is found again


def _has_space() -> bool:
    return _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > _NEEDED
