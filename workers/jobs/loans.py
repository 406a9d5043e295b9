"""The step's connection as a handler gets it: a separate object, disabled when the handler ends."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg import pq

from workers.client.statement import Command, Statement, texts
from workers.client.wire import Wire

# Settings that a handler may change and that would make later jobs fail, wait or go wrong.
_SETTINGS = (
    "bytea_output",
    "client_encoding",
    "client_min_messages",
    "datestyle",
    "default_transaction_deferrable",
    "default_transaction_isolation",
    "default_transaction_read_only",
    "extra_float_digits",
    "idle_in_transaction_session_timeout",
    "intervalstyle",
    "lock_timeout",
    "plan_cache_mode",
    "role",
    "row_security",
    "search_path",
    "session_replication_role",
    "standard_conforming_strings",
    "statement_timeout",
    "synchronous_commit",
    "timezone",
    "transaction_timeout",
    "work_mem",
)
SAVEPOINT = (Statement("wed_savepoint", "savepoint wed_job"), ())
_BACK = (Statement("wed_back", "rollback to savepoint wed_job"), ())
_KEEP = (Statement("wed_keep", "release savepoint wed_job"), ())
# Separate and first: the other statement may take longer than a timeout that the handler set.
_RESET_TIMEOUT = (Statement("wed_reset_timeout", "reset statement_timeout"), ())
_READ = Statement(
    "wed_settings",
    "select array_agg(n), array_agg(pg_catalog.current_setting(n, true))"
    " from pg_catalog.unnest($1::text[]) n where pg_catalog.current_setting(n, true) is not null",
)
_RESTORE = Statement(
    "wed_restore",
    "select pg_catalog.set_config(n, v, false)"
    " from rows from (pg_catalog.unnest($1::text[]), pg_catalog.unnest($2::text[])) x (n, v)"
    " where pg_catalog.current_setting(n, true) is distinct from v",
)


class LentConnection:
    """A savepoint for one job, and a connection for its handler. Raises as `Wire.round`."""

    def __init__(self, wire: Wire, before: list[Command]) -> None:
        self._wire = wire
        commands = [*before, SAVEPOINT]
        if wire.settings is None:
            row = wire.round(*commands, (_READ, (texts(_SETTINGS),)))[-1]
            wire.settings = row.get_value(0, 0), row.get_value(0, 1)
        else:
            wire.round(*commands)
        pgconn = wire.connection.pgconn
        notify_handler = pgconn.notify_handler
        self.connection: psycopg.Connection[Any] = psycopg.Connection(pgconn)
        pgconn.notify_handler = notify_handler  # the worker handles notifications
        self.connection._autocommit = True  # the worker controls the transaction
        self.connection.prepare_threshold = None

    def take_back(self) -> bool:
        """Disable the handler's connection, also for threads that outlive it; return whether it is broken.

        A statement that such a thread is executing ends with its connection.
        """
        lent = self.connection
        broken = lent.broken
        idle = lent.lock.acquire(blocking=False)
        lent.pgconn = pq.PGconn()  # not connected: the next use raises that the connection is closed
        if idle:
            lent.lock.release()
        else:
            self._wire.close()
        return broken

    def keep(self) -> None:
        """Keep what the handler wrote, and restore the session settings."""
        settings = self._wire.settings or (None, None)
        self._wire.round(_KEEP, _RESET_TIMEOUT, (_RESTORE, settings))

    def undo(self) -> None:
        """Roll back what the handler wrote, and its settings."""
        self._wire.round(_BACK)
