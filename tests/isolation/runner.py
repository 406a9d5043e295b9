"""Run specs in the syntax of PostgreSQL's isolationtester, in every order or in those listed.

The original program comes only with some server packages and compares whole outputs; this runner works on any
server, and the spec states in SQL what must be true at the end of every order. Each session has a thread. The
server is queried to distinguish a step that waits for a lock, or sleeps before it retries one, from one that
works, so no order depends on timing.
"""

from __future__ import annotations

import queue
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from testkit.waiting import until

_TOKEN = re.compile(r"#[^\n]*|\{(?P<block>(?:[^{}]|\{[^{}]*\})*)\}|(?P<word>[\w-]+)|(?P<bad>\S.*)")
TIMEOUT = 60.0
# As `discard all`, but plans are kept: to make those of the kernel takes longer than an order.
_ANEW = """
reset session authorization; reset all; deallocate all; close all; unlisten *;
select pg_advisory_unlock_all(); discard temp; discard sequences
"""


@dataclass
class Session:
    """A client's part: its setup, its steps in order."""

    name: str
    setup: list[str] = field(default_factory=list)
    steps: dict[str, str] = field(default_factory=dict)


@dataclass
class Spec:
    """A parsed spec.

    Beyond the original syntax it has `once`, run before the first order only, `check`, queries that return a
    row for each error at the end, and `allow`, the SQLSTATEs that a step may fail with.
    """

    setup: list[str] = field(default_factory=list)
    once: list[str] = field(default_factory=list)
    allow: set[str] = field(default_factory=set)
    check: list[str] = field(default_factory=list)
    sessions: list[Session] = field(default_factory=list)
    permutations: list[list[str]] = field(default_factory=list)

    def orders(self) -> list[list[str]]:
        """Return the listed permutations, or every interleaving of the sessions' steps."""
        if self.permutations:
            return self.permutations
        return [list(order) for order in _interleave([list(s.steps) for s in self.sessions])]

    def owner(self, step: str) -> Session:
        """Return the session of a step."""
        return next(s for s in self.sessions if step in s.steps)


def parse(path: Path) -> Spec:
    """Read a spec. Raises ValueError for a syntax error."""
    spec, session = Spec(), None
    tokens = _tokens(path.read_text(encoding="utf-8"))
    for token in tokens:
        if token == "session":
            session = Session(next(tokens))
            spec.sessions.append(session)
        elif token in ("setup", "once", "check"):
            part = session if session and token == "setup" else spec
            getattr(part, token).append(next(tokens))
        elif token == "allow":
            spec.allow |= set(next(tokens).split())
        elif token == "step" and session:
            name = next(tokens)
            session.steps[name] = next(tokens)
        elif token == "permutation":
            spec.permutations.append([])
        elif spec.permutations:
            spec.permutations[-1].append(token)
        else:
            raise ValueError(f"{path.name}: {token!r} is not expected")
    return spec


def _tokens(text: str) -> Iterator[str]:
    """Yield words, and blocks without their braces, which may have one level of braces inside."""
    for found in _TOKEN.finditer(text):
        if found["bad"]:
            raise ValueError(f"cannot read {found['bad'][:40]!r}")
        if found.lastgroup:
            yield found[found.lastgroup].strip()


def _interleave(lists: list[list[str]]) -> Iterator[tuple[str, ...]]:
    if not any(lists):
        yield ()
    for number, steps in enumerate(lists):
        if steps:
            rest = [*lists[:number], steps[1:], *lists[number + 1 :]]
            for tail in _interleave(rest):
                yield (steps[0], *tail)


class Client:
    """A session's connection, with a thread that runs its steps."""

    def __init__(self, dsn: str, name: str, mode: str) -> None:
        self.connection: psycopg.Connection[Any] = psycopg.connect(
            dsn,
            autocommit=True,
            application_name=f"iso {name}",
            prepare_threshold=None,
            options=f"-c deadlock_timeout=100ms -c iso.mode={mode}",
        )
        self.pid = self.connection.info.backend_pid
        self.todo: queue.Queue[str | None] = queue.Queue()
        self.done: list[str | None] = []
        self.submitted = 0
        self.thread = threading.Thread(target=self._work, daemon=True)
        self.thread.start()

    def _work(self) -> None:
        while (sql := self.todo.get()) is not None:
            self.done.append(self._run(sql))

    def _run(self, sql: str) -> str | None:
        try:
            self.connection.execute(sql)  # type: ignore[call-overload]
            return None
        except psycopg.Error as error:
            return error.sqlstate or "?"

    def submit(self, sql: str) -> None:
        """Queue a step for the thread."""
        self.submitted += 1
        self.todo.put(sql)

    @property
    def busy(self) -> bool:
        """Return whether a step is not finished."""
        return len(self.done) < self.submitted

    def close(self) -> None:
        """End thread and connection; an open transaction is rolled back."""
        self.todo.put(None)
        self.thread.join(TIMEOUT)
        self.connection.close()


class SpecConnections:
    """The connections of one spec, used for all its orders: one per session and one that watches.

    The mode says how they take and complete jobs (words.sql).
    """

    def __init__(self, dsn: str, spec: Spec, mode: str = "single") -> None:
        self.dsn, self.spec, self.mode = dsn, spec, mode
        self.watcher = psycopg.connect(
            dsn, autocommit=True, prepare_threshold=None, options=f"-c iso.mode={mode}"
        )
        self.clients: dict[str, Client] = {}

    def __enter__(self) -> SpecConnections:
        try:
            for sql in self.spec.once:
                self.watcher.execute(sql)  # type: ignore[call-overload]
        except psycopg.Error:
            self.watcher.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()
        for client in self.clients.values():
            client.close()
        self.watcher.close()

    def clear(self) -> None:
        """End what the last order left open: a session that still waits loses its connection."""
        for name, client in list(self.clients.items()):
            if client.busy:
                self.watcher.execute("select pg_terminate_backend(%s)", [client.pid])
                client.close()
                del self.clients[name]
        for client in self.clients.values():
            client.connection.execute("rollback")
            client.connection.execute(_ANEW)

    def client(self, name: str) -> Client:
        """Return the session's connection."""
        if name not in self.clients:
            self.clients[name] = Client(self.dsn, name, self.mode)
        return self.clients[name]


class Run:
    """One run of a spec in one order.

    `errors` has (step, SQLSTATE), `waited` the steps that had to wait, `wrong` the results of the checks.
    """

    def __init__(self, connections: SpecConnections, order: list[str]) -> None:
        connections.clear()
        self.spec, self.order, self.watcher = connections.spec, order, connections.watcher
        self.waited: list[str] = []
        self.impossible = False
        self.clients = {session.name: connections.client(session.name) for session in self.spec.sessions}
        self.submitted: list[tuple[str, Client, int]] = []

    def go(self) -> None:
        """Run the order. It is impossible if a session's next step is due while its last one still waits."""
        for sql in self.spec.setup:
            self.watcher.execute(sql)  # type: ignore[call-overload]
        for session in self.spec.sessions:
            for sql in session.setup:
                self.clients[session.name].submit(sql)
        self._wait_until_blocked()
        for step in self.order:
            client = self.clients[self.spec.owner(step).name]
            if all(other.busy for other in self.clients.values()):  # a deadlock: the server ends one
                self._until(lambda: not all(other.busy for other in self.clients.values()))
                self._wait_until_blocked()  # the one that goes on may answer before the one that was ended
            if client.busy:
                self.impossible = True
                return
            self.submitted.append((step, client, client.submitted))
            client.submit(self.spec.owner(step).steps[step])
            self._wait_until_blocked()
            if client.busy:
                self.waited.append(step)
        self._until(lambda: not any(client.busy for client in self.clients.values()))

    def _wait_until_blocked(self) -> None:
        self._until(self._settled)

    def _settled(self) -> bool:
        """Return whether each session has finished its steps or waits.

        Sessions are queried only when it is known which are busy: one that finishes in between may have ended
        the wait of one that was queried before.
        """
        busy = [client for client in self.clients.values() if client.busy]
        return all(self._blocked(client) for client in busy)

    def _blocked(self, client: Client) -> bool:
        row: Any = self.watcher.execute(
            "select cardinality(pg_blocking_pids(%(pid)s)) > 0 or exists (select 1 from pg_stat_activity"
            " where pid = %(pid)s and wait_event = 'PgSleep')",
            {"pid": client.pid},
        ).fetchone()
        return bool(row[0])

    def _until(self, condition: Callable[[], bool]) -> None:
        until(condition, TIMEOUT, f"{' '.join(self.order)}: a session never came back", pause=0.002)

    @property
    def errors(self) -> list[tuple[str, str]]:
        """Return the steps that failed, with their SQLSTATE."""
        return [(step, code) for step, client, n in self.submitted if (code := client.done[n])]

    def wrong(self) -> list[Any]:
        """Return the rows that the spec's checks yield."""
        found: list[Any] = []
        for sql in self.spec.check:
            found += self.watcher.execute(sql).fetchall()  # type: ignore[call-overload]
        return found
