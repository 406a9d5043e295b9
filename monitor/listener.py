"""The one connection of this process that hears the kernel's notifications, kept alive by whoever watches.

Notifications are hints: they are lost while the connection is away, so every return is announced as "read
again", and every POLL_SECONDS versions are compared with what was heard.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import socket
import time
from contextlib import suppress
from weakref import WeakKeyDictionary

import psycopg
from channels.db import database_sync_to_async
from django.conf import settings
from django.db import Error
from psycopg.rows import TupleRow

from flows.queries import watching
from monitor import versions
from monitor.hub import Hub, Watcher

log = logging.getLogger(__name__)

POLL_SECONDS = 5.0
HEARTBEAT_SECONDS = 20.0
BACKOFF_SECONDS = (0.1, 0.2, 0.5, 1.0)
LINGER_SECONDS = 10.0
CONNECT_SECONDS = 5

PAYLOAD = re.compile(r"^(\d{1,10}):(\d{1,10}):(\d{1,10})$", re.ASCII)
Connection = psycopg.AsyncConnection[TupleRow]


class Listener:
    """Connects when the first watcher joins, leaves when the last one has been gone for LINGER_SECONDS."""

    def __init__(self, dsn: str) -> None:
        self.hub = Hub()
        self.dsn = dsn
        self.backend_pid = 0
        self.heard_at = 0.0
        self._task: asyncio.Task[None] | None = None
        self._farewell: asyncio.TimerHandle | None = None
        self._stopped = False
        self._versions = versions.Versions()

    async def join(self, watcher: Watcher) -> None:
        """Let the watcher hear; starts the connection if need be."""
        if self._farewell:
            self._farewell.cancel()
            self._farewell = None
        await self.hub.join(watcher)
        if self._task is None:
            self._start()

    def _start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._run())
        self._task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self.hub.live, self._task = False, None
        # Somebody joined while the connection was saying good-bye.
        if self.hub.watchers and not self._stopped:
            self._start()

    def leave(self, watcher: Watcher) -> None:
        """The watcher is gone; the last one turns off the light, but not at once."""
        self.hub.leave(watcher)
        if not self.hub.watchers and self._farewell is None:
            self._farewell = asyncio.get_running_loop().call_later(LINGER_SECONDS, self._stop_if_idle)

    def _stop_if_idle(self) -> None:
        self._farewell = None
        if not self.hub.watchers:
            self._cancel()

    def _cancel(self) -> None:
        self.hub.live = False
        # A second cancel would cut short the good-bye of the first.
        if self._task and not self._task.cancelling():
            self._task.cancel()

    async def stop(self) -> None:
        """End the connection for good."""
        self._stopped = True
        self._cancel()
        if self._task:
            await asyncio.wait([self._task])

    async def _run(self) -> None:
        failures = 0
        while True:
            try:
                await self._session()
            except (psycopg.Error, Error, OSError) as error:
                log.warning("listener lost its connection: %s", type(error).__name__)
                failures = 0 if self.hub.live else failures + 1
            await self.hub.down()
            await asyncio.sleep(BACKOFF_SECONDS[min(failures, len(BACKOFF_SECONDS) - 1)])

    async def _session(self) -> None:
        """One connection from its opening to its loss."""
        connection = await psycopg.AsyncConnection.connect(
            self.dsn, autocommit=True, prepare_threshold=None, connect_timeout=CONNECT_SECONDS,
            application_name="wedsql-monitor",
        )  # fmt: skip
        async with connection:
            self.backend_pid = connection.info.backend_pid
            await connection.execute("listen wedsql_trace; listen wedsql_flow")
            watch = await self._watch(0)
            try:
                self._versions.forget()
                await self.hub.up()
                await self._listen(connection, watch)
            finally:
                await _unwatch(watch)

    async def _listen(self, connection: Connection, watch: int) -> None:
        beat = time.monotonic()
        while True:
            async for notify in connection.notifies(timeout=POLL_SECONDS):
                self._heard(notify.payload)
            await self._versions.compare(connection, self.hub)
            if time.monotonic() - beat >= HEARTBEAT_SECONDS:
                beat = time.monotonic()
                await self._watch(watch)
                await self.hub.ping()

    async def _watch(self, watch: int) -> int:
        """Tell the kernel that somebody watches; this role only reads, so the web's connection says it."""
        name = f"{socket.gethostname()}:{os.getpid()}"
        return int(await database_sync_to_async(watching.watch)(watch, name))

    def _heard(self, payload: str) -> None:
        self.heard_at = time.time()
        match = PAYLOAD.match(payload)
        if match:
            flow, wid, seq = (int(part) for part in match.groups())
            self.hub.event(flow, wid, seq)


async def _unwatch(watch: int) -> None:
    with suppress(Error, asyncio.CancelledError):
        await database_sync_to_async(watching.unwatch)(watch)


_listeners: WeakKeyDictionary[asyncio.AbstractEventLoop, Listener] = WeakKeyDictionary()


def listener() -> Listener:
    """The listener of the running event loop, made on first use."""
    loop = asyncio.get_running_loop()
    if loop not in _listeners:
        _listeners[loop] = Listener(dsn())
    return _listeners[loop]


def dsn() -> str:
    """Where to listen: settings.MONITOR_DATABASE_URL."""
    return str(settings.MONITOR_DATABASE_URL)


def sign_out(session: str) -> None:
    """Called from any thread when a session ends."""
    for loop, found in list(_listeners.items()):
        if loop.is_running():
            asyncio.run_coroutine_threadsafe(found.hub.sign_out(session), loop)


def all_listeners() -> list[Listener]:
    """Every listener of this process, for its metrics."""
    return list(_listeners.values())
