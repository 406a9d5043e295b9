"""Streams of events: each reads on from its place when the listener of the live pages reports a change.

A stream keeps no queue: the server waits for its client (wedsql_site/pacing), and then the stream reads what
follows its place. It has no connection of its own; it borrows one for each read.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
import weakref
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from asgiref.sync import sync_to_async
from django.db import Error, connections
from ninja.responses import NinjaJSONEncoder

from flows import json_text
from flows.queries.base import snapshot
from flows.queries.history.changes import Batch, Change, Place, read
from flows.queries.overview import visible_ids
from monitor.api.caller import Caller
from monitor.api.problems import Problem
from monitor.api.schemas import STATUS
from pages.live.hub import Topic, Watcher
from pages.live.listener import listener

MOST_STREAMS = 50
MOST_OF_A_CALLER = 5
HEARTBEAT_SECONDS = 10.0
CHECK_SECONDS = 5.0
# The least time between two reads of a stream that has read everything.
READ_SECONDS = 0.25
# How many streams read at a time.
READERS = 2
RETRY_MILLISECONDS = 3000

R = TypeVar("R")


class Slots:
    """The open streams of this process by caller."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: Counter[str] = Counter()

    def take(self, key: str) -> Callable[[], None]:
        """Take a place for a stream, and return what gives it back, once. Raises Problem."""
        with self._lock:
            if self._open.total() >= MOST_STREAMS or self._open[key] >= MOST_OF_A_CALLER:
                raise Problem(429, "Too many streams of events are open.", "Close one.", Retry_After="5")
            self._open[key] += 1
        taken = [key]

        def give_back() -> None:
            with self._lock:
                if taken:
                    self._open[taken.pop()] -= 1

        return give_back

    @property
    def total(self) -> int:
        with self._lock:
            return self._open.total()


slots = Slots()
_readers: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = (
    weakref.WeakKeyDictionary()
)


async def _in_thread(call: Callable[[], R]) -> R:
    """Run a call that queries on a thread, which gives its connection back; few at a time."""

    def closing() -> R:
        try:
            return call()
        finally:
            connections.close_all()

    readers = _readers.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(READERS))
    async with readers:
        return await sync_to_async(closing, thread_sensitive=False)()


@dataclass(eq=False)
class Stream:
    """One stream, an iterable of texts; `close` may be called from any thread."""

    caller: Caller
    flow: str
    place: Place
    _bell: asyncio.Event = field(default_factory=asyncio.Event)
    _names: frozenset[str] | None = frozenset()
    _ended: str = ""
    _checked_at: float = -CHECK_SECONDS
    _sent_at: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        give_back = slots.take(self.caller.key)
        # Also for a stream that is dropped before it begins, as its client has gone.
        self.close = weakref.finalize(self, give_back)

    @cached_property
    def _watcher(self) -> Watcher:
        return Watcher(Topic("all", flows=frozenset()), self._ring, self._end, self.caller.session)

    async def __aiter__(self) -> AsyncIterator[str]:
        try:
            await listener().join(self._watcher)
            yield f"retry: {RETRY_MILLISECONDS}\n" + _event("open", {}, self.place)
            async for text in self._texts():
                self._sent_at = time.monotonic()
                yield text
        finally:
            listener().leave(self._watcher)
            self.close()

    async def _ring(self, text: str) -> None:
        """Receive a frame for a page: it says only that there is something to read."""
        number = json.loads(text).get("n")
        if number is not None:
            listener().hub.acked(self._watcher, number)
        self._bell.set()

    async def _end(self, _code: int) -> None:
        self._ended = "unauthorized"
        self._bell.set()

    async def _texts(self) -> AsyncIterator[str]:
        """Yield changes, and comments while there are none, until the stream ends."""
        while not self._ended:
            self._bell.clear()
            batch = await self._next()
            if batch is None:
                break
            moved, self.place = batch.place != self.place, batch.place
            if batch.changes:
                yield "".join(_event("step", _shown(each), each.place) for each in batch.changes)
            elif time.monotonic() - self._sent_at >= HEARTBEAT_SECONDS - CHECK_SECONDS / 2:
                yield f": heartbeat\nid: {self.place}\n\n" if moved else ": heartbeat\n\n"
            if not batch.more:
                await self._wait()
        yield _event("end", {"reason": self._ended})

    async def _next(self) -> Batch | None:
        """Return the next event; None if the stream ends."""
        try:
            await self._check()
            return None if self._ended else await _in_thread(self._read)
        except Error:
            self._ended = "database"
            return None

    async def _wait(self) -> None:
        await asyncio.sleep(READ_SECONDS)
        try:
            async with asyncio.timeout(CHECK_SECONDS):
                await self._bell.wait()
        except TimeoutError:
            pass

    def _read(self) -> Batch:
        with snapshot():
            return read(self.place, self._names)

    async def _check(self) -> None:
        """Ask the database every CHECK_SECONDS what the caller sees; may end the stream."""
        if time.monotonic() - self._checked_at < CHECK_SECONDS:
            return
        visible = await _in_thread(self._visible)
        self._checked_at = time.monotonic()
        if visible is None:
            self._ended = "unauthorized"
        else:
            self._names, self._watcher.topic = visible

    def _visible(self) -> tuple[frozenset[str] | None, Topic] | None:
        """Return the names of the flows that the caller sees now (None: all), and what the hub reports."""
        caller = self.caller.renewed()
        if caller is None or (self.flow and not caller.sees(self.flow)):
            return None
        names = frozenset({self.flow}) if self.flow else caller.flows
        return names, Topic("all", flows=None if names is None else frozenset(visible_ids(names)))


def _shown(change: Change) -> dict[str, Any]:
    found = {name: value for name, value in vars(change).items() if name != "place"}
    return found | {"status": STATUS[change.status]}


def _event(kind: str, data: dict[str, Any], place: Place | None = None) -> str:
    text = json_text.encode(data, NinjaJSONEncoder().default, ensure_ascii=True, separators=(",", ":"))
    return (f"id: {place}\n" if place else "") + f"event: {kind}\ndata: {text}\n\n"
