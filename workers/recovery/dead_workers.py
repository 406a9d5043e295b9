"""Journals of the other worker processes of this machine, above all of dead ones.

When a session ends, its jobs are free at once, before the death is counted. So a worker that takes a job
first checks whether the journal of a dead process names it: then that attempt is counted, and the handler
does not run before its back-off. Otherwise a handler that kills its process would kill one after the other.
"""

from __future__ import annotations

import contextlib
import fcntl
import mmap
import os
import time
from collections.abc import Collection, Iterator
from pathlib import Path

from workers.recovery.journal import SIZE, Note, process_start, read_notes, running_in

_CHECK_INTERVAL = 0.002
# Looks at a process that seems alive: a killed one lives a little longer than its connection.
_CHECKS_WHILE_ALIVE = 10
_CHECKS_WHEN_DEAD = 2000  # another process reports it, and may have to connect first


def dead_journals(folder: Path) -> Iterator[tuple[Path, list[Note]]]:
    """Yield the notes of dead processes; each journal is locked while it is in use.

    The caller unlinks the path once its notes are reported; otherwise they are returned by the next call,
    here or elsewhere. A path's modification time is when the death was found.
    """
    for path in sorted([*folder.glob("*.job"), *folder.glob("*.dead")]):
        with _locked_if_dead(path) as raw:
            if raw is not None:
                yield _mark_dead(path), read_notes(raw)


class OtherJournals:
    """The journals of the other processes, mapped into memory: a look costs one listing of their folder."""

    def __init__(self, own: Path) -> None:
        self._folder = own.parent
        self._own = own.name
        self._maps: dict[str, mmap.mmap] = {}

    def jobs_of_dead_workers(self, jobs: Collection[int]) -> set[int]:
        """Return those of these held jobs at which another process died, and delete its journal."""
        found: set[int] = set()
        for look in range(_CHECKS_WHEN_DEAD if jobs else 0):
            left = [path for path in self._journals_naming(jobs) if not self._collected(path, jobs, found)]
            if look >= _CHECKS_WHILE_ALIVE:
                left = [path for path in left if not _alive(path)]  # alive, but lost its connection
            if not left:
                break
            time.sleep(_CHECK_INTERVAL)
        return found

    def _journals_naming(self, jobs: Collection[int]) -> list[Path]:
        names = set(os.listdir(self._folder)) - {self._own}
        for name in self._maps.keys() - names:
            self._maps.pop(name).close()
        for name in names - self._maps.keys():
            self._open(name)
        return [self._folder / name for name, map in self._maps.items() if running_in(map) in jobs]

    def _open(self, name: str) -> None:
        with contextlib.suppress(OSError, ValueError), (self._folder / name).open("rb") as file:
            self._maps[name] = mmap.mmap(file.fileno(), SIZE, access=mmap.ACCESS_READ)

    @staticmethod
    def _collected(path: Path, jobs: Collection[int], found: set[int]) -> bool:
        with _locked_if_dead(path) as raw:
            if raw is None:
                return False
            found.update(note.job_id for note in read_notes(raw) if note.running and note.job_id in jobs)
            path.unlink()
            return True


@contextlib.contextmanager
def _locked_if_dead(path: Path) -> Iterator[bytes | None]:
    """Yield a dead process's journal, locked; None while its process lives or another process reads it."""
    with contextlib.ExitStack() as held:
        raw: bytes | None = None
        with contextlib.suppress(FileNotFoundError, BlockingIOError):
            if not _alive(path):
                file = held.enter_context(path.open("rb"))
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                raw = file.read() if path.exists() else None
        yield raw


def _mark_dead(path: Path) -> Path:
    """Mark a journal as that of a dead process; return its path from now on."""
    if path.suffix == ".dead":
        return path
    os.utime(path)
    return path.rename(path.with_suffix(".dead"))


def _alive(path: Path) -> bool:
    pid, _, rest = path.name.partition("-")
    start = rest.partition(".")[0]
    return pid.isdigit() and process_start(int(pid)) == start != "0" and not _zombie(int(pid))


def _zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True
