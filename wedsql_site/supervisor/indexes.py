"""Creates the indexes that people request: by a process of the owner's role that runs while there is work."""

from __future__ import annotations

import time

import psycopg

from wedsql_site import database
from wedsql_site.supervisor.child import Child
from wedsql_site.supervisor.programs import index_builder

EVERY = 10.0
_LIMITS = "-c statement_timeout=2s"


class IndexBuilder:
    """Looks every `EVERY` seconds for indexes to create or to drop, and starts one process that does it."""

    def __init__(self) -> None:
        self._child: Child | None = None
        self._due = 0.0

    def watch(self) -> None:
        """Start the process if there is work and none runs."""
        if self._child and self._child.process and self._child.process.poll() is None:
            return
        if time.monotonic() < self._due:
            return
        self._child = None
        if _is_needed():
            self._child = Child(index_builder())
            self._child.start()
        self._due = time.monotonic() + EVERY

    def stop(self) -> None:
        """End the process. What it has not finished is begun again by the next one."""
        if self._child:
            self._child.terminate()
            self._child.finish(time.monotonic() + self._child.program.grace)


def _is_needed() -> bool:
    """Return whether there is work; not while the database does not answer."""
    try:
        with psycopg.connect(database.url("reaper"), connect_timeout=2, options=_LIMITS) as connection:
            found = connection.execute("select wedsql.has_index_work()").fetchone()
    except psycopg.Error:
        return False
    return found is not None and bool(found[0])
