"""The threads of the web process: a limited number that close their database connections after each call.

Django runs a request on a thread of its own and closes that thread's connections when the request ends. It
does not do so for what runs elsewhere (error pages are rendered on the event loop's default executor), nor
when the server cancels a request. A pooled connection that a thread keeps is lost to all others.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar
from weakref import WeakSet

from asgiref.sync import ThreadSensitiveContext
from django.db import connections

Application = Callable[[Any, Any, Any], Awaitable[Any]]
P = ParamSpec("P")
R = TypeVar("R")

# More threads than pooled connections: most of a request's time goes into templates.
THREADS = 32
# Probes have threads of their own, so that they are answered under load.
PROBES = frozenset({"/healthz", "/readyz", "/metrics"})
PROBE_THREADS = 2
# Requests beyond this number are rejected at once instead of waiting.
MAX_WAITING = 500


class ReturningExecutor(ThreadPoolExecutor):
    """Runs calls on threads and closes the database connections of the thread after each call."""

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        def call() -> R:
            try:
                return fn(*args, **kwargs)
            finally:
                connections.close_all()

        return super().submit(call)


_request_pools: WeakSet[RequestPool] = WeakSet()


def request_pools() -> list[RequestPool]:
    """Return the pools of this process, for its metrics."""
    return list(_request_pools)


class RequestPool:
    """A limited number of threads; a request takes one and returns it when the thread is idle again."""

    def __init__(self, name: str, size: int, max_waiting: int) -> None:
        self.size, self.waiting, self.rejected = size, 0, 0
        self._max_waiting = max_waiting
        _request_pools.add(self)
        self._idle: asyncio.LifoQueue[ReturningExecutor] = asyncio.LifoQueue()
        for number in range(size):
            self._idle.put_nowait(ReturningExecutor(1, thread_name_prefix=f"{name}-{number}"))

    @property
    def busy(self) -> int:
        return self.size - self._idle.qsize()

    async def take(self) -> ReturningExecutor | None:
        """Return an idle thread, waiting for one if necessary; None if too many requests wait already."""
        if self._idle.empty() and self.waiting >= self._max_waiting:
            self.rejected += 1
            return None
        return await self.take_again()

    async def take_again(self) -> ReturningExecutor:
        """Return an idle thread for a request that had one: it waits its turn and is never rejected."""
        self.waiting += 1
        try:
            return await self._idle.get()
        finally:
            self.waiting -= 1

    def release(self, thread: ReturningExecutor) -> None:
        """Make the thread available when it has finished what a cancelled request may have left."""
        loop = asyncio.get_running_loop()

        def idle(_: Future[None]) -> None:
            with contextlib.suppress(RuntimeError):  # the loop was closed: the process is ending
                loop.call_soon_threadsafe(self._idle.put_nowait, thread)

        thread.submit(_nothing).add_done_callback(idle)


def _nothing() -> None:
    """Do nothing; marks the end of a thread's queue."""


class _Taken(Executor):
    """The thread of one request, as the executor of its synchronous calls.

    A part of a longer response is sent at the pace of the client, so the thread is given back meanwhile.
    A stream of events gives it back for good, as it may last for days.
    """

    def __init__(self, pool: RequestPool, thread: ReturningExecutor, send: Any) -> None:
        self._pool, self._thread, self._send = pool, thread, send
        self._released = self._is_stream = False

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Run a call on the thread. Closing a response does so after it was given back, in its turn."""
        return self._thread.submit(fn, *args, **kwargs)

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            types = [value for name, value in message["headers"] if name.lower() == b"content-type"]
            self._is_stream = types == [b"text/event-stream"]
        waits = self._is_stream or message.get("more_body", False)
        if not waits:
            await self._send(message)
            return
        self.release()
        await self._send(message)
        if not self._is_stream:
            self._thread = await self._pool.take_again()
            self._released = False

    def release(self) -> None:
        """Give the thread back."""
        if not self._released:
            self._released = True
            self._pool.release(self._thread)


class RequestThreads:
    """ASGI middleware that runs each HTTP request on one thread of a pool."""

    def __init__(self, application: Application) -> None:
        self.application = application
        self.pages = RequestPool("page", THREADS, MAX_WAITING)
        self.probes = RequestPool("probe", PROBE_THREADS, MAX_WAITING)
        self._loop: asyncio.AbstractEventLoop | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self._replace_default_executor()
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        pool = self.probes if scope["path"] in PROBES else self.pages
        thread = await pool.take()
        if thread is None:
            await reject(send, b"Too many requests are waiting; try again.\n")
            return
        taken = _Taken(pool, thread, send)
        try:
            async with ThreadSensitiveContext(executor=taken):
                await self.application(scope, receive, taken.send)
        finally:
            taken.release()

    def _replace_default_executor(self) -> None:
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop = loop
            loop.set_default_executor(ReturningExecutor(thread_name_prefix="other"))


async def reject(send: Any, text: bytes) -> None:
    """Answer 503 with the reason."""
    headers = [(b"content-type", b"text/plain"), (b"retry-after", b"5")]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": text})
