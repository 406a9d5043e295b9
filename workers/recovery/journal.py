"""The journal of a process: the job it is about to run, so that its death counts as an attempt at that job.

One small file per process, mapped into memory: a note costs a microsecond and survives a SIGKILL, because
the page belongs to the system and not to the process. The other processes of this machine read the notes
of dead ones (workers.recovery.dead_workers) and report them.
"""

from __future__ import annotations

import mmap
import os
import struct
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

SIZE = 64 * 1024
_HEAD = struct.Struct("<qqqd64s")  # job id (0: no handler runs), wid, claim (0: none), until, flow
_UNTIL = struct.Struct("<d")
_UNTIL_AT = 24
_COUNT = struct.Struct("<q")
_HELD = struct.Struct("<qqq")  # wid, job id, claim
_HELD_AT = _HEAD.size + _COUNT.size
_HELD_MAX = (SIZE - _HELD_AT) // _HELD.size


def journal_dir() -> Path:
    """Return the directory of the journals of this machine."""
    from django.conf import settings

    state = getattr(settings, "STATE_DIR", None) or os.environ.get("WEDSQL_STATE_DIR", "var")
    return Path(state) / "jobs"


@dataclass(frozen=True, slots=True)
class Note:
    """A job that was running, or leased and waiting, when its process died."""

    flow: str
    wid: int
    job_id: int
    claim: int | None
    running: bool


class Journal:
    """The notes of this process; all methods are cheap."""

    def __init__(self, folder: Path, pid: int | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        pid = pid or os.getpid()
        self.path = folder / f"{pid}-{process_start(pid)}.job"
        with self.path.open("w+b") as file:
            # Its space is taken now: a note on a full disk would end the process in the middle of a handler.
            os.posix_fallocate(file.fileno(), 0, SIZE)
            self._map = mmap.mmap(file.fileno(), SIZE)

    def begin(self, flow: bytes, job_id: int, wid: int, claim: int | None, until: float | None) -> None:
        """Note the job whose handler is called next, and the monotonic time by which it must return."""
        _HEAD.pack_into(self._map, 0, job_id, wid, claim or 0, until or 0.0, flow)

    def prolong(self, until: float) -> None:
        """Note that the running handler got more time."""
        _UNTIL.pack_into(self._map, _UNTIL_AT, until)

    def end(self) -> None:
        """Note that no handler runs."""
        _COUNT.pack_into(self._map, 0, 0)  # no job has the id 0

    def hold(self, flow: bytes, leases: Iterable[tuple[int, int, int]]) -> None:
        """Note leases (wid, job id, claim) that wait in this process; () clears them."""
        kept = list(leases)[:_HELD_MAX]
        for place, lease in enumerate(kept):
            _HELD.pack_into(self._map, _HELD_AT + place * _HELD.size, *lease)
        _HEAD.pack_into(self._map, 0, 0, 0, 0, 0.0, flow)
        _COUNT.pack_into(self._map, _HEAD.size, len(kept))

    def close(self) -> None:
        """Delete the journal, because the process ends normally."""
        self._map.close()
        self.path.unlink(missing_ok=True)

    @staticmethod
    def overdue(folder: Path, pid: int, grace: float) -> bool:
        """Return whether the process runs a handler that should have returned `grace` seconds ago."""
        path = folder / f"{pid}-{process_start(pid)}.job"
        try:
            raw = path.read_bytes()[: _HEAD.size]
        except OSError:
            return False
        job_id, _wid, _claim, until, _flow = _HEAD.unpack(raw)
        return bool(job_id and until and time.monotonic() > until + grace)


def running_in(raw: mmap.mmap | bytes) -> int:
    """Return the id of the job whose handler runs by a journal, held without a lease; 0 for none."""
    job_id, _wid, claim, _until, _flow = _HEAD.unpack_from(raw, 0)
    return 0 if claim else int(job_id)


def read_notes(raw: bytes) -> list[Note]:
    """Return every job that a journal names; [] for an incomplete file."""
    if len(raw) < SIZE:
        return []
    job_id, wid, claim, _until, flow_raw = _HEAD.unpack_from(raw, 0)
    flow = flow_raw.rstrip(b"\0").decode()
    running = [Note(flow, wid, job_id, claim or None, True)] if job_id else []
    (count,) = _COUNT.unpack_from(raw, _HEAD.size)
    held = [_HELD.unpack_from(raw, _HELD_AT + place * _HELD.size) for place in range(min(count, _HELD_MAX))]
    return running + [Note(flow, w, j, c, False) for w, j, c in held if j != job_id]


def process_start(pid: int) -> str:
    """Return the process's start in clock ticks, which distinguishes processes with the same pid."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return "0"
    return stat.rpartition(")")[2].split()[19]
