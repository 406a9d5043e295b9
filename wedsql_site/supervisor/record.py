"""The supervisor's lock and record in the state directory: its pid, its URL, its children."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from typing import Any

from flows.management.whole_file import write_whole_text
from wedsql_site import environment


class Running:
    """A lock that lives as long as its supervisor, and a record beside it for the other commands."""

    def __init__(self) -> None:
        self.directory = environment.state_dir()
        self._descriptor: int | None = None

    @property
    def _lock(self) -> Path:
        return self.directory / "supervisor.lock"

    @property
    def _record(self) -> Path:
        return self.directory / "supervisor.json"

    def take(self) -> bool:
        """Become the supervisor of this state directory; False if there is one."""
        environment.ensure_directory(self.directory)
        descriptor = os.open(self._lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        return True

    def release(self) -> None:
        """Remove the record and release the lock."""
        self._record.unlink(missing_ok=True)
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def write(self, **facts: Any) -> None:
        """Replace the record atomically."""
        write_whole_text(self._record, json.dumps({"pid": os.getpid(), **facts}, indent=1))

    def read(self) -> dict[str, Any] | None:
        """Return the record of the running supervisor, {} while it is starting, None if there is none."""
        if not self._lock.exists() or self._probe():
            return None
        try:
            return json.loads(self._record.read_text())
        except (FileNotFoundError, json.JSONDecodeError):
            return {}

    def _probe(self) -> bool:
        """Return whether the lock is free."""
        other = Running()
        if not other.take():
            return False
        os.close(other._descriptor or 0)
        return True
