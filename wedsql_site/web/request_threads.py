"""The threads of the web process: a limited number that close their database connections after each call.

Django runs a request on a thread of its own and closes that thread's connections when the request ends. It
does not do so for what runs elsewhere (error pages are rendered on the event loop's default executor), nor
when the server cancels a request. A pooled connection that a thread keeps is lost to all others.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from itertools import cycle
from typing import Any, ParamSpec, TypeVar
from weakref import WeakSet

from asgiref.sync import ThreadSensitiveContext
from django.db import connections

from wedsql_site import capacity
from wedsql_site.web.memory import FreedMemory

Application = Callable[[Any, Any, Any], Awaitable[Any]]
P = ParamSpec("P")
R = TypeVar("R")

# Probes have threads of their own, so that they are answered under load.
PROBES = frozenset({"/healthz", "/readyz", "/metrics"})
# What devices exchange by themselves, and again later where it was rejected.
DEVICES = tuple(
    f"{place}{what}"
    for place in ("/offline/", "/api/v1/offline/")
    for what in ("sync/", "tasks", "packages/", "results", "files/")
)
# Seconds that it waits: less than a device waits for an answer.
DEVICE_SECONDS = 15.0
# Seconds that a request waits for a thread before it is rejected.
WAIT_SECONDS = 30.0
# Requests beyond this number, which would fill the memory, are rejected at once instead of waiting.
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


def _threads(name: str, count: int) -> list[ReturningExecutor]:
    return [ReturningExecutor(1, thread_name_prefix=f"{name}-{number}") for number in range(count)]


_request_pools: WeakSet[RequestPool] = WeakSet()
_memory = FreedMemory()


def request_pools() -> list[RequestPool]:
    """Return the pools of this process, for its metrics."""
    return list(_request_pools)


class RequestPool:
    """A limited number of threads; a request takes one and returns it when the thread is idle again.

    Requests that wait get a thread in the order in which they came.
    """

    def __init__(
        self, name: str, size: int, max_waiting: int = MAX_WAITING, seconds: float = WAIT_SECONDS
    ) -> None:
        self.size, self.rejected = size, 0
        self._max_waiting, self._seconds = max_waiting, seconds
        _request_pools.add(self)
        self._idle = _threads(name, size)
        self._turns: deque[asyncio.Future[ReturningExecutor]] = deque()

    @property
    def busy(self) -> int:
        return self.size - len(self._idle)

    @property
    def waiting(self) -> int:
        return len(self._turns)

    async def take(self) -> ReturningExecutor | None:
        """Return a thread; None if none becomes idle in time, or if too many requests wait already."""
        with contextlib.suppress(TimeoutError):
            if self._idle or self.waiting < self._max_waiting:
                async with asyncio.timeout(self._seconds):
                    return await self.take_again()
        self.rejected += 1
        return None

    async def take_again(self) -> ReturningExecutor:
        """Return a thread for a request that had one: it waits its turn and is never rejected."""
        if self._idle:
            return self._idle.pop()
        turn: asyncio.Future[ReturningExecutor] = asyncio.get_running_loop().create_future()
        self._turns.append(turn)
        try:
            return await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it was this request's turn at the same moment
                self._give(turn.result())
            elif turn in self._turns:
                self._turns.remove(turn)
            raise

    def _give(self, thread: ReturningExecutor) -> None:
        """Hand the thread to the request that has waited longest; nothing that came later gets it first."""
        while self._turns:
            turn = self._turns.popleft()
            if not turn.cancelled():
                turn.set_result(thread)
                return
        self._idle.append(thread)

    def release(self, thread: ReturningExecutor) -> None:
        """Make the thread available when it has finished what a cancelled request may have left.

        It returns the memory of the request first.
        """
        loop = asyncio.get_running_loop()

        def idle(_: Future[None]) -> None:
            with contextlib.suppress(RuntimeError):  # the loop was closed: the process is ending
                loop.call_soon_threadsafe(self._give, thread)

        thread.submit(_memory.return_if_grown).add_done_callback(idle)


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
    """ASGI middleware that runs each HTTP request on one thread of a pool, and live pages on their own."""

    def __init__(self, application: Application) -> None:
        self.application = application
        self.pages = RequestPool("page", capacity.PAGES)
        self.devices = RequestPool("device", capacity.DEVICES, seconds=DEVICE_SECONDS)
        self.probes = RequestPool("probe", capacity.PROBES)
        self._live = cycle(_threads("live", capacity.LIVE))
        self._loop: asyncio.AbstractEventLoop | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self._replace_default_executor()
        if scope["type"] == "http":
            await self._request(scope, receive, send)
        elif scope["type"] == "websocket":
            async with ThreadSensitiveContext(executor=next(self._live)):
                await self.application(scope, receive, send)
        else:
            await self.application(scope, receive, send)

    async def _request(self, scope: Any, receive: Any, send: Any) -> None:
        pool = self._pool_for(scope["path"])
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

    def _pool_for(self, path: str) -> RequestPool:
        if path in PROBES:
            return self.probes
        return self.devices if path.startswith(DEVICES) else self.pages

    def _replace_default_executor(self) -> None:
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop = loop
            loop.set_default_executor(ReturningExecutor(capacity.OTHERS, thread_name_prefix="other"))


async def reject(send: Any, text: bytes) -> None:
    """Answer 503 with the reason."""
    headers = [(b"content-type", b"text/plain"), (b"retry-after", b"5")]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": text})
