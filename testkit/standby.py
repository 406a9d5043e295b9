"""A server that waits for a standby which does not exist, and an administrator who ends such waits."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from testkit.waiting import until

_WAITING = "select count(*) from pg_stat_activity where wait_event = 'SyncRep'"
_WAITS = """select pid, query_start from pg_stat_activity
  where wait_event = 'SyncRep' and pid = coalesce(%s, pid)"""
# One wait is known by its session and the statement that waits. It is ended again only after this many
# seconds: a second cancellation that arrives late would end the statement after it.
_AGAIN = 2.0


class Standby:
    """Ends waits over a connection of its own, whose commits do not wait."""

    def __init__(self, dsn: str) -> None:
        self._admin: psycopg.Connection[Any] = psycopg.connect(
            dsn, autocommit=True, options="-c search_path=wedsql -c synchronous_commit=local"
        )
        self._stopped = threading.Event()

    def query(self, statement: str, *params: Any) -> Any:
        """Return the value of a statement, whose commit waits for nothing."""
        row = self._admin.execute(statement, params).fetchone()
        return row[0] if row else None

    def wanted(self, name: str) -> None:
        """Let the server wait for this standby, or for none."""
        self._admin.execute(f"alter system set synchronous_standby_names = '{name}'")
        self._admin.execute("select pg_reload_conf()")
        until(lambda: self.query("show synchronous_standby_names") == name)

    @property
    def waiting(self) -> int:
        """Return how many sessions wait."""
        return int(self.query(_WAITING))

    @contextmanager
    def ending(
        self, how: str = "pg_cancel_backend", times: int | None = None, pid: int | None = None
    ) -> Iterator[None]:
        """End each wait, or the first ones, while the block runs; `pid`: only those of this session."""
        self._stopped.clear()
        thread = threading.Thread(target=self._end, args=(how, times, pid))
        thread.start()
        try:
            yield
        finally:
            self._stopped.set()
            thread.join()

    def _end(self, how: str, times: int | None, pid: int | None) -> None:
        ended: dict[tuple[Any, ...], float] = {}
        while not self._stopped.wait(0.01):
            for wait in self._admin.execute(_WAITS, [pid]).fetchall():
                if time.monotonic() - ended.get(wait, -_AGAIN) >= _AGAIN:
                    now = "pg_cancel_backend" if times is not None and len(ended) >= times else how
                    self._admin.execute(f"select {now}(%s)", [wait[0]])
                    ended[wait] = time.monotonic()

    def close(self) -> None:
        """Let the server wait for no standby."""
        try:
            self.wanted("")
        finally:
            self._admin.close()


@contextmanager
def missing_standby(dsn: str) -> Iterator[Standby]:
    """Let every commit of the server wait for a standby during the block."""
    standby = Standby(dsn)
    try:
        standby.wanted("missing")
        yield standby
    finally:
        standby.close()
