"""The connection of this process that listens for the database's notifications, open while pages watch.

Notifications are lost while the connection is down, so after each connect the pages read everything again,
and every POLL_SECONDS versions are compared with the notifications received. The app that registered the
events defines what is listened to and compared.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from contextvars import Context
from typing import Protocol
from weakref import WeakKeyDictionary

import psycopg
from django.conf import settings
from django.db import Error
from psycopg import sql
from psycopg.rows import TupleRow

from pages.live.hub import Hub, Watcher

log = logging.getLogger(__name__)

POLL_SECONDS = 5.0
HEARTBEAT_SECONDS = 20.0
BACKOFF_SECONDS = (0.1, 0.2, 0.5, 1.0)
LINGER_SECONDS = 10.0
CONNECT_SECONDS = 5

Connection = psycopg.AsyncConnection[TupleRow]


class Events(Protocol):
    """What a listener listens to, and how it is read."""

    channels: tuple[str, ...]

    async def open(self) -> None:
        """Start with a new connection; discard what was known from the last one."""

    async def renew(self) -> None:
        """Renew what expires; called at every heartbeat of a connection."""

    async def close(self) -> None:
        """Clean up at the end of a connection."""

    def on_notification(self, payload: str, hub: Hub) -> None:
        """Report a notification to the hub."""

    async def compare(self, connection: Connection, hub: Hub) -> None:
        """Report to the hub what changed without a notification."""


_registered: list[Callable[[], Events]] = []


def register(events: Callable[[], Events]) -> None:
    """Add events for every listener of this process; each listener calls `events` once.

    Repeated calls change nothing: Django makes an app ready again when the installed apps change.
    """
    if events not in _registered:
        _registered.append(events)


class Listener:
    """Connects when the first watcher joins, disconnects LINGER_SECONDS after the last one left."""

    def __init__(self, dsn: str) -> None:
        self.hub = Hub()
        self.dsn = dsn
        self.backend_pid = 0
        self.notified_at = 0.0
        self._task: asyncio.Task[None] | None = None
        self._stop_timer: asyncio.TimerHandle | None = None
        self._stopped = False
        self._events = [make() for make in _registered]

    async def join(self, watcher: Watcher) -> None:
        """Add the watcher; connects if necessary."""
        if self._stop_timer:
            self._stop_timer.cancel()
            self._stop_timer = None
        await self.hub.join(watcher)
        if self._task is None:
            self._start()

    def _start(self) -> None:
        # In a context of its own: that of the page or stream that joined first ends with it, and its thread.
        self._task = asyncio.get_running_loop().create_task(self._run(), context=Context())
        self._task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self.hub.live, self._task = False, None
        # A watcher joined while the connection was closing.
        if self.hub.watchers and not self._stopped:
            self._start()

    def leave(self, watcher: Watcher) -> None:
        """Remove the watcher; after the last one, disconnect later."""
        self.hub.leave(watcher)
        if not self.hub.watchers and self._stop_timer is None:
            self._stop_timer = asyncio.get_running_loop().call_later(LINGER_SECONDS, self._stop_if_idle)

    def _stop_if_idle(self) -> None:
        self._stop_timer = None
        if not self.hub.watchers:
            self._cancel()

    def _cancel(self) -> None:
        self.hub.live = False
        # A second cancel would interrupt the clean-up of the first.
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
        """Run one connection until it is lost."""
        connection = await psycopg.AsyncConnection.connect(
            self.dsn, autocommit=True, prepare_threshold=None, connect_timeout=CONNECT_SECONDS,
            application_name="wedsql-monitor",
        )  # fmt: skip
        async with connection:
            self.backend_pid = connection.info.backend_pid
            for channel in [channel for events in self._events for channel in events.channels]:
                await connection.execute(sql.SQL("listen {}").format(sql.Identifier(channel)))
            try:
                for events in self._events:
                    await events.open()
                await self.hub.up()
                await self._listen(connection)
            finally:
                await self._close()

    async def _listen(self, connection: Connection) -> None:
        beat = time.monotonic()
        while True:
            async for notify in connection.notifies(timeout=POLL_SECONDS):
                self._on_notification(notify)
            for events in self._events:
                await events.compare(connection, self.hub)
            if time.monotonic() - beat >= HEARTBEAT_SECONDS:
                beat = time.monotonic()
                for events in self._events:
                    await events.renew()
                await self.hub.ping()

    async def _close(self) -> None:
        for events in self._events:
            with suppress(Error, asyncio.CancelledError):
                await events.close()

    def _on_notification(self, notify: psycopg.Notify) -> None:
        self.notified_at = time.time()
        for events in self._events:
            if notify.channel in events.channels:
                events.on_notification(notify.payload, self.hub)


_listeners: WeakKeyDictionary[asyncio.AbstractEventLoop, Listener] = WeakKeyDictionary()


def listener() -> Listener:
    """Return the listener of the running event loop, created on first use."""
    loop = asyncio.get_running_loop()
    if loop not in _listeners:
        _listeners[loop] = Listener(dsn())
    return _listeners[loop]


def dsn() -> str:
    """Return the DSN of the listener: settings.MONITOR_DATABASE_URL."""
    return str(settings.MONITOR_DATABASE_URL)


def sign_out(session: str) -> None:
    """Close the live connections of a session; may be called from any thread."""
    for loop, found in list(_listeners.items()):
        if loop.is_running():
            asyncio.run_coroutine_threadsafe(found.hub.sign_out(session), loop)


def all_listeners() -> list[Listener]:
    """Return every listener of this process, for its metrics."""
    return list(_listeners.values())
