"""Several prepared statements in one round trip, with results as plain bytes.

The runner makes few kinds of calls, so they bypass the general part of the driver: one libpq pipeline
per round, values in the text protocol, columns decoded on access.
A connection serves one thread at a time; `Wire` has a lock so that a heartbeat may share it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import psycopg
from psycopg import pq
from psycopg.errors import error_from_result

from flows.replication import is_unconfirmed, watch
from workers import messages
from workers.client.forks import detach
from workers.client.statement import Command

_OK = (pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK, pq.ExecStatus.EMPTY_QUERY)
_SYNC = pq.ExecStatus.PIPELINE_SYNC
_STATES = {int(state): state for state in pq.TransactionStatus}  # far quicker than to call the enumeration
_SYNCED = b"synchronisation point"
_CANCEL_SECONDS = 1.0
_LONGEST_SLEEP = 0.05


class ConnectionLost(Exception):
    """The connection broke; what was sent last may or may not have been executed."""


class ForkedProcess(Exception):
    """A process that a handler forked used the connection of its parent's job."""

    def __str__(self) -> str:
        return messages.FORKED


_wires: weakref.WeakSet[Wire] = weakref.WeakSet()


def _raise_forked() -> NoReturn:
    raise ForkedProcess


def _identity(descriptor: int) -> tuple[int, int]:
    try:
        found = os.fstat(descriptor)
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino


def _detach_all() -> None:
    for wire in list(_wires):
        wire.detach_from_parent()


os.register_at_fork(after_in_child=_detach_all)


class Wire:
    """A psycopg connection that sends commands in rounds, and reconnects on the first use after a failure."""

    def __init__(self, connect: Callable[[], psycopg.Connection[Any]]) -> None:
        self._connect = connect
        self._prepared: set[bytes] = set()
        self._poll = select.poll()
        self._lock = threading.RLock()
        self._connection: psycopg.Connection[Any] | None = None
        self.generation = 0
        self.notified: set[bytes] = set()
        self.unconfirmed = 0
        """Commits that no standby has confirmed, since the runner last logged them."""
        self.settings: tuple[bytes | None, bytes | None] | None = None
        """Names and values of the session's settings, once they were read (workers.jobs.loans)."""
        self._identity = (0, 0)
        _wires.add(self)
        self._pace = 0.0
        """Seconds per commit in the last round; `_read` sleeps in proportion."""

    @property
    def connection(self) -> psycopg.Connection[Any]:
        """The open connection, opened on demand; ConnectionLost when that fails."""
        if self._connection is None or self._connection.closed:
            self._connection = self._open()
        return self._connection

    @property
    def status(self) -> pq.TransactionStatus:
        """The transaction status, without a round trip; UNKNOWN when the connection is closed."""
        if self._connection is None or self._connection.closed:
            return pq.TransactionStatus.UNKNOWN
        return _STATES[self._connection.pgconn.transaction_status]

    @property
    def closed(self) -> bool:
        """Whether the next round must open a connection."""
        return self._connection is None or self._connection.closed

    @property
    def broken(self) -> bool:
        """Whether the connection ended, but was not closed here."""
        return self._connection is not None and self._connection.broken

    @property
    def descriptor_changed(self) -> bool:
        """Whether the descriptor of the open connection was closed or now belongs to another file."""
        return not self.closed and _identity(self.connection.pgconn.socket) != self._identity

    def abandon(self) -> None:
        """Drop the connection without writing to its descriptor, which may belong to another file now."""
        connection, self._connection = self._connection, None
        if connection is not None:  # a leaked reference: libpq never writes to it, not even at exit
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))

    def detach_from_parent(self) -> None:
        """Detach from the connection, which belongs to the parent process, and open no other."""
        if not self.closed:
            detach(self.connection.pgconn.socket)
        self.abandon()
        self._lock = threading.RLock()  # another thread may have held it during the fork
        self._connect = _raise_forked

    @property
    def socket(self) -> int:
        """The descriptor to watch while idle."""
        return self.connection.pgconn.socket

    def round(self, *commands: Command) -> list[pq.abc.PGresult]:
        """Send the commands together and return one result for each; commands after an error are skipped.

        Raises psycopg.Error for that error and ConnectionLost when the results did not arrive.
        """
        results = self._guarded(commands, apart=False)
        for result in results:
            if result.status not in _OK:
                raise self._error(result)
        return results

    def each(self, *commands: Command) -> list[pq.abc.PGresult | psycopg.Error]:
        """Send the commands together, each as its own transaction; return a result or an error for each.

        Raises ConnectionLost when the results did not arrive.
        """
        answers = self._guarded(commands, apart=True)
        return [result if result.status in _OK else self._error(result) for result in answers]

    def _error(self, result: pq.abc.PGresult) -> psycopg.Error:
        error = error_from_result(result, self.connection.info.encoding)
        if isinstance(error, psycopg.errors.InvalidSqlStatementName):  # after "deallocate all"
            self.close()
            raise ConnectionLost("The session lost its prepared statements.") from error
        return error

    def wait(self, seconds: float, *others: int) -> None:
        """Sleep until a notification arrives, another descriptor is readable, or the time is over."""
        pgconn = self.connection.pgconn
        readable, _, _ = select.select([pgconn.socket, *others], [], [], max(0.0, seconds))
        if pgconn.socket in readable:
            try:
                pgconn.consume_input()
            except psycopg.OperationalError as error:
                self.close()
                raise ConnectionLost(str(error)) from error
            self._read_notifications(pgconn)

    def close(self) -> None:
        """Close the connection; the server rolls back an open transaction, a running query is cancelled."""
        connection, self._connection = self._connection, None
        if connection is not None and not connection.closed:
            if connection.pgconn.transaction_status == pq.TransactionStatus.ACTIVE:
                with contextlib.suppress(psycopg.Error):
                    connection.cancel_safe(timeout=_CANCEL_SECONDS)
            connection.close()

    def _open(self) -> psycopg.Connection[Any]:
        try:
            connection = self._connect()
        except psycopg.OperationalError as error:
            raise ConnectionLost(str(error)) from error
        connection.add_notify_handler(self._on_notification)
        watch(connection)
        connection.add_notice_handler(self._on_notice)
        self._prepared.clear()
        self._poll = select.poll()
        self._poll.register(connection.pgconn.socket, select.POLLIN)
        self._identity = _identity(connection.pgconn.socket)
        self.settings = None
        self.generation += 1
        return connection

    def _on_notification(self, notify: psycopg.Notify) -> None:
        self.notified.add(notify.channel.encode())

    def _on_notice(self, diag: psycopg.errors.Diagnostic) -> None:
        self.unconfirmed += is_unconfirmed(diag)

    def _guarded(self, commands: Sequence[Command], *, apart: bool) -> list[pq.abc.PGresult]:
        if not commands:
            return []
        with self._lock:
            pgconn = self.connection.pgconn
            try:
                return self._exchange(pgconn, commands, apart)
            except psycopg.OperationalError as error:
                self.close()
                raise ConnectionLost(str(error)) from error
            except BaseException:
                self.close()  # interrupted: the rest of the results would be read as the next ones
                raise

    def _exchange(
        self, pgconn: pq.abc.PGconn, commands: Sequence[Command], apart: bool
    ) -> list[pq.abc.PGresult]:
        """Send all in one transaction, or `apart`: a synchronization point ends a transaction."""
        pgconn.enter_pipeline_mode()
        # Per answer: the name of a statement it prepared, None for a result, _SYNCED for a synchronization.
        fresh: list[bytes | None] = []
        for number, (statement, params) in enumerate(commands, 1):
            name = statement.name
            if name not in self._prepared:
                pgconn.send_prepare(name, statement.text)
                fresh.append(name)
                self._prepared.add(name)
            fresh.append(None)
            pgconn.send_query_prepared(name, params)
            if apart or number == len(commands):
                pgconn.pipeline_sync()
                fresh.append(_SYNCED)
        while pgconn.flush():
            select.select([pgconn.socket], [pgconn.socket], [])
            pgconn.consume_input()
        answers = self._read(pgconn, fresh)
        pgconn.exit_pipeline_mode()
        self._read_notifications(pgconn)
        return self._results(answers, fresh)

    def _read(self, pgconn: pq.abc.PGconn, fresh: Sequence[bytes | None]) -> list[pq.abc.PGresult]:
        """Read all results, without a wake-up for each of many commits."""
        begun = time.monotonic()
        left = commits = fresh.count(_SYNCED)
        answers = []
        for name in fresh:
            if left > 2 and pgconn.is_busy():
                time.sleep(min(left * self._pace / 2, _LONGEST_SLEEP))
                pgconn.consume_input()
            answers.append(self._next(pgconn, sync=name is _SYNCED))
            left -= name is _SYNCED
        self._pace = (time.monotonic() - begun) / commits
        return answers

    def _results(
        self, answers: Sequence[pq.abc.PGresult], fresh: Sequence[bytes | None]
    ) -> list[pq.abc.PGresult]:
        """Return the results without those of preparations; failed ones are prepared again later."""
        results = []
        failed: pq.abc.PGresult | None = None
        for answer, name in zip(answers, fresh, strict=True):
            if name is _SYNCED:
                failed = None
            elif name is None:
                results.append(failed or answer)
            elif answer.status not in _OK:
                self._prepared.discard(name)
                failed = answer
        return results

    def _next(self, pgconn: pq.abc.PGconn, sync: bool = False) -> pq.abc.PGresult:
        while True:
            while pgconn.is_busy():
                self._poll.poll()
                pgconn.consume_input()
            result = pgconn.get_result()
            if result is None:
                continue  # the null that ends each command's results
            if not sync:
                return result
            if result.status == _SYNC:
                return result

    def _read_notifications(self, pgconn: pq.abc.PGconn) -> None:
        while (notify := pgconn.notifies()) is not None:
            self.notified.add(notify.relname)


def pause(attempt: int, least: float = 0.005, most: float = 1.0) -> None:
    """Sleep longer with each attempt, with a random factor so that processes do not collide again."""
    import random

    time.sleep(min(most, least * 2**attempt) * (0.5 + random.random()))  # noqa: S311  # not a secret
