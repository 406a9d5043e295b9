"""The worker's side of the protocol: one connection, the kernel's functions, one job at a time."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import select
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache, partial
from typing import Any, LiteralString

import psycopg
from psycopg import sql
from psycopg.types.json import set_json_loads

from BaseWorker.key import read_key

log = logging.getLogger("BaseWorker")

_FLOW = re.compile(r"(?:^|(?<=\s))flow\s*=\s*'?([^\s']+)'?")
_EXCEPTION = "_EXCPT"
_MOST_DIGITS = 1000
# Errors that pass by themselves, by the beginning of their SQLSTATE: repeated without counting an attempt.
TRY_AGAIN = ("08", "25006", "25P03", "25P04", "40", "53", "55006", "55P03", "57014", "57P", "58")

# The function of the server that sends a notice when the wait of a commit for its standbys was ended.
_NOT_REPLICATED = "SyncRepWaitForLSN"

# The SQLSTATE of the notice that a worker never gets jobs of its transition.
_NEVER_OFFERED = "01WD1"

# These functions are in the flow's schema, so that the flow's role needs no access to another.
_TAKE = "begin; select job_id, wid, claim, payload from {flow}.take(array[{trname}], 1, {actor})"
_TAKE_AGAIN = "select job_id from {flow}.take(%s, 1, %s, array[%s]::bigint[])"
# A rejected result is counted as a failed attempt while the job is still held: a sub-query, which costs
# nothing where nothing is rejected.
_COMPLETE = (
    "select c.ok, c.sqlstate, c.message, case when not c.ok and not c.sqlstate ^@ any (%(transient)s) then"
    " (select count(*) from {flow}.fail_many(array[%(wid)s]::int[], array[%(job)s]::bigint[],"
    " array[null]::bigint[], array[left(c.message, 2000)], array[c.sqlstate],"
    " case c.sqlstate when 'WD204' then 'timeout' else 'failed' end, %(actor)s)) end"
    " from {flow}.complete_many(array[%(wid)s]::int[], array[%(job)s]::bigint[],"
    " array[null]::bigint[], null, %(actor)s, array[%(sets)s]) c"
)
_FAIL = (
    "select attempts, parked from {flow}.fail_many("
    "array[%s]::int[], array[%s]::bigint[], array[null]::bigint[], array[%s], array[%s], %s, %s)"
)


class BadWorker(Exception):
    """The worker cannot run with its arguments; the message says what to change."""


@dataclass(frozen=True)
class PendingJob:
    """One job; `payload` is the state that fired it."""

    id: int
    wid: int
    payload: Mapping[str, Any]


class Server:
    """The connection of one worker to the WED-server. `dbs` is a libpq connection string, as for psycopg2.

    The flow is the schema in the connection's search_path that has wed_flow: the role's own name, as in the
    paper, `options='-c search_path=orders'`, or the short form `flow=orders`.
    """

    def __init__(self, dbs: str, trname: str) -> None:
        self.dbs = dbs
        self._named, self._conninfo = _split(dbs)
        self.trname = trname
        self.flow = ""
        self.actor = ""
        self._names: tuple[str, ...] = (trname,)
        self._worker: int | None = None
        self._statements: dict[LiteralString, bytes] = {}
        self._connection: psycopg.Connection[Any] | None = None
        self._session: Server | None = None
        self.unconfirmed = False
        """Whether a commit was not confirmed by a standby since the worker last asked."""

    def connect(self, names: Sequence[str] = ()) -> None:
        """Open the connection, check the transitions (its own, or `names`), listen.

        Raises BadWorker, psycopg.Error.
        """
        self._names = tuple(names) or (self.trname,)
        connection = self.open()
        for name in self._names:
            self._check_transition(connection, name)
        name = connection.info.parameter_status("application_name") or ""
        self.actor = name or f"{self.trname}@{socket.gethostname()}:{os.getpid()}"
        self._listen(connection)

    def open(self) -> psycopg.Connection[Any]:
        """Connect, find the flow and log in. Raises BadWorker, psycopg.Error."""
        self.close()
        connection = psycopg.connect(self._conninfo, autocommit=True)
        self._connection = connection
        connection.add_notice_handler(self._on_notice)
        set_json_loads(partial(json.loads, parse_float=Decimal, parse_int=_whole), connection)
        if self._named:
            connection.execute("select set_config('search_path', %s, false)", [self._named])
        self.flow = self._find_flow(connection)
        self._statements.clear()
        self._log_in(connection)
        return connection

    def _on_notice(self, diag: psycopg.errors.Diagnostic) -> None:
        if diag.source_function == _NOT_REPLICATED:
            self.unconfirmed = True
        elif diag.sqlstate == _NEVER_OFFERED:
            _log_once(diag.message_primary, diag.message_hint, diag.message_detail)

    def take_unconfirmed(self) -> bool:
        """Return whether a commit was not confirmed by a standby since the last call."""
        session = self._session or self
        found, session.unconfirmed = session.unconfirmed, False
        return found

    def attach(self, session: Server) -> None:
        """Use the connection of a session until `detach`."""
        self._connection, self.flow, self._session = session.connection, session.flow, session

    def detach(self) -> None:
        """Leave the connection to its session."""
        self._connection = self._session = None

    def _find_flow(self, connection: psycopg.Connection[Any]) -> str:
        row = connection.execute(
            "select n.nspname::text, current_user::text, current_setting('search_path') from (values (1)) one"
            " left join pg_class c on c.oid = to_regclass('wed_flow')"
            " left join pg_namespace n on n.oid = c.relnamespace"
        ).fetchone()
        flow, user, path = row or (None, "", "")
        if flow is None:
            raise BadWorker(
                f"No flow is in reach of {user!r} (search_path {path}). "
                "Connect as a role named like the flow, or write flow=NAME into dbs."
            )
        return str(flow)

    def _log_in(self, connection: psycopg.Connection[Any]) -> None:
        """Log in with the key of the worker, if there is one."""
        try:
            key = read_key()
        except (OSError, ValueError) as error:
            raise BadWorker(f"The worker key cannot be read: {error}.") from error
        if key:
            connection.execute(self._call("select {flow}.log_in_worker(%s)"), [key])

    def _check_transition(self, connection: psycopg.Connection[Any], trname: str) -> None:
        rows = connection.execute(
            "select distinct trname from wed_trig where left(trname, 1) <> '_' order by 1"
        ).fetchall()
        known = [str(name) for (name,) in rows]
        if trname not in (*known, _EXCEPTION):
            raise BadWorker(
                f"trname {trname!r} is no transition of flow {self.flow!r}; "
                f"it has: {', '.join(known) or 'none'}."
            )

    def _listen(self, connection: psycopg.Connection[Any]) -> None:
        """Listen on the paper's channel, and on the worker's own one if the role may register workers."""
        for name in self._names:
            connection.execute(sql.SQL("listen {}").format(sql.Identifier(name)))
        try:
            row = connection.execute(
                "select wedsql.register_worker('baseworker', %s, %s, %s, %s)",
                [
                    self.actor,
                    socket.gethostname(),
                    os.getpid(),
                    [f"{self.flow}:{name}" for name in self._names],
                ],
            ).fetchone()
        except psycopg.errors.InsufficientPrivilege:
            return  # a role of the paper's kind is notified on the transition's channel only
        if row is not None:
            self._worker = int(row[0])
            connection.execute(sql.SQL("listen {}").format(sql.Identifier(f"wedsql_w{self._worker}")))

    @property
    def connection(self) -> psycopg.Connection[Any]:
        """Return the open connection; raises BadWorker if there is none."""
        if self._connection is None:
            raise BadWorker("The worker is not connected.")
        return self._connection

    def _call(self, statement: LiteralString) -> bytes:
        """Return the statement with the flow's name, composed once."""
        if statement not in self._statements:
            words = {"trname": sql.Literal(self.trname), "actor": sql.Literal(self.actor)}
            composed = sql.SQL(statement).format(flow=sql.Identifier(self.flow), **words)
            self._statements[statement] = composed.as_bytes(self._connection)
        return self._statements[statement]

    def take(self) -> PendingJob | None:
        """Begin a transaction and lock one pending job; roll back and return None if none is ready."""
        connection = self.connection
        cursor = connection.execute(self._call(_TAKE), prepare=False)  # without parameters: one message
        cursor.nextset()
        row = cursor.fetchone()
        if row is None:
            connection.execute("rollback")
            return None
        job, wid, _claim, payload = row
        return PendingJob(job, wid, {"wid": wid, **payload})

    def complete(self, job: PendingJob, assignments: str) -> tuple[str, bool]:
        """Apply the SET clause or count the attempt, and commit, in one round trip.

        Return why it was rejected, or '', and whether the job was settled or its attempt counted.
        """
        connection = self.connection
        values = {"wid": job.wid, "job": job.id, "actor": self.actor, "sets": assignments}
        with connection.pipeline():
            cursor = connection.execute(self._call(_COMPLETE), values | {"transient": list(TRY_AGAIN)})
            connection.execute("commit")
            row = cursor.fetchone()
        ok, _state, message, counted = row or (False, "", "no answer", 0)
        return ("", True) if ok else (str(message), bool(counted))

    def fail(self, job: PendingJob, message: str, outcome: str, sqlstate: str = "") -> bool:
        """Count a failed attempt with its reason; return False if this worker no longer holds the job.

        The server offers the job again or parks it.
        """
        text = message.replace("\0", "").encode("utf-8", "replace").decode()[:2000]
        given = [job.wid, job.id, text, sqlstate, outcome, self.actor]
        counted = self.connection.execute(self._call(_FAIL), given).fetchone() is not None
        self.connection.execute("commit")
        return counted

    def fail_again(self, job: PendingJob, message: str, sqlstate: str) -> bool:
        """Count a failed attempt of a job whose transaction failed, unless another worker holds it by now."""
        self.rollback()
        self.connection.execute("begin")
        given = [[self.trname], self.actor, job.id]
        if self.connection.execute(self._call(_TAKE_AGAIN), given).fetchone() is None:
            self.rollback()
            return False
        return self.fail(job, message, "failed", sqlstate)

    @property
    def alive(self) -> bool:
        """Return whether the connection is open, as far as is known."""
        return self._connection is not None and not self._connection.closed

    def rollback(self) -> None:
        """Roll back, which leaves the job pending; do nothing without an open connection."""
        if self._connection is not None and not self._connection.closed:
            with contextlib.suppress(psycopg.OperationalError):
                self._connection.execute("rollback")

    def beat(self, waiting: bool) -> None:
        """Report to the server that this worker is alive, and whether it waits; register again if needed."""
        if self._worker is not None:
            row = self.connection.execute(
                "select wedsql.heartbeat(%s, %s)", [self._worker, waiting]
            ).fetchone()
            if row is None or not row[0]:
                self._worker = None
                self._listen(self.connection)

    def wait(self, seconds: float) -> None:
        """Wait until a notification arrives or the time is over."""
        pgconn = self.connection.pgconn
        if select.select([pgconn.socket], [], [], seconds)[0]:
            pgconn.consume_input()
        while pgconn.notifies() is not None:
            pass

    def close(self) -> None:
        """Unregister and disconnect."""
        connection, self._connection = self._connection, None
        if connection is None or connection.closed:
            return
        try:
            if self._worker is not None:
                connection.execute("rollback")
                connection.execute("select wedsql.unregister_worker(%s)", [self._worker])
        except psycopg.Error:
            self._worker = None  # its row expires without heartbeats
        finally:
            self._worker = None
            connection.close()


@lru_cache(maxsize=1000)
def _log_once(message: str | None, hint: str | None, _version: str | None) -> None:
    """Log why jobs are never offered, once per version of the flow."""
    log.warning("%s", " ".join(filter(None, (message, hint))))


def _whole(digits: str) -> int | Decimal:
    """Return a whole number of any length; Python limits int() to a few thousand digits."""
    return int(digits) if len(digits) < _MOST_DIGITS else Decimal(digits)


def _split(dbs: str) -> tuple[str, str]:
    """Return the flow named in the connection string, or '', and the string without it, for libpq."""
    found = _FLOW.search(dbs)
    if found is None:
        return "", dbs
    return found[1], dbs[: found.start()] + dbs[found.end() :]
