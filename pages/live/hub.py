"""The watchers of this process, and their frames, at most one each tenth of a second.

A frame carries ids and versions only; the page fetches what it shows. Every ACK_EVERY-th frame requests an
acknowledgement, and until that arrives the watcher gets no other: changes are collected, one entry per id,
and beyond MAX_PENDING ids as "read everything again".
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

TICK_SECONDS = 0.1
MAX_PENDING = 500
ACK_EVERY = 10
STALLED_SECONDS = 30.0

Send = Callable[[str], Awaitable[None]]
Close = Callable[[int], Awaitable[None]]


@dataclass(frozen=True)
class Topic:
    """What is watched: every flow (or those in `flows`), one flow, or one instance of `flow`."""

    kind: str
    flow: int = 0
    wid: int = 0
    flows: frozenset[int] | None = None

    def includes(self, flow: int) -> bool:
        return self.flows is None or flow in self.flows


@dataclass(eq=False)
class Watcher:
    """One browser page. `changes` maps changed ids to versions; with `resync` the page reads all again."""

    topic: Topic
    send: Send
    close: Close
    session: str = ""
    changes: dict[int, int] | None = None
    resync: bool = False
    sent: int = 0
    unacked: int = 0
    sent_at: float = 0.0

    def add(self, changes: dict[int, int]) -> None:
        """Keep the newest version of each id; `changes` is shared by watchers, so never modified."""
        if self.resync:
            return
        self.changes = changes if self.changes is None else self.changes | changes
        if len(self.changes) > MAX_PENDING:
            self.request_resync()

    def request_resync(self) -> None:
        self.changes, self.resync = None, True

    @property
    def ready(self) -> bool:
        return not self.unacked and (self.resync or bool(self.changes))


class Hub:
    """The watchers of one event loop. Not thread-safe: call it in its loop."""

    def __init__(self) -> None:
        self.watchers: set[Watcher] = set()
        self.live = False
        self.stale_since = time.time()
        self.last_events: dict[int, float] = {}
        self.frames = 0
        self._events: dict[int, dict[int, int]] = defaultdict(dict)
        self._timer: asyncio.TimerHandle | None = None
        self._flushing: asyncio.Task[None] | None = None
        self._last = 0.0

    def watched_flows(self) -> set[int]:
        """Return the flows of all watchers."""
        return {w.topic.flow for w in self.watchers if w.topic.flow}

    def watched_wids(self) -> dict[int, int]:
        """Return the watched instances, each with its flow."""
        return {w.topic.wid: w.topic.flow for w in self.watchers if w.topic.kind == "instance"}

    async def join(self, watcher: Watcher) -> None:
        """Add a watcher; if the listener is connected, the watcher gets a hello."""
        self.watchers.add(watcher)
        if self.live:
            await watcher.send(_frame("hello"))

    def leave(self, watcher: Watcher) -> None:
        self.watchers.discard(watcher)

    def event(self, flow: int, wid: int, seq: int) -> None:
        """Record a change of an instance, or of many with `wid` 0. The first event is sent at once."""
        self.last_events[flow] = time.monotonic()
        rows = self._events[flow]
        rows[wid] = max(seq, rows.get(wid, 0))
        self._wake()

    def acked(self, watcher: Watcher, number: int) -> bool:
        """Allow the watcher's next frame; return False for a number that was not asked for."""
        if not watcher.unacked or number != watcher.unacked:
            return False
        watcher.unacked = 0
        if watcher.ready:
            self._wake()
        return True

    async def up(self) -> None:
        """Mark the listener as connected; every page reads everything, as notifications may be lost."""
        self.live = True
        await self._send_all(self.watchers, _frame("hello"))

    async def down(self) -> None:
        """Mark the listener as disconnected; the pages show that."""
        if self.live:
            self.live, self.stale_since = False, time.time()
            await self._send_all(self.watchers, _frame("stale"))

    async def ping(self) -> None:
        """Send a ping to all watchers, and close those that stopped acknowledging."""
        limit = time.monotonic() - STALLED_SECONDS
        stalled = {w for w in self.watchers if w.unacked and w.sent_at < limit}
        self.watchers -= stalled
        await asyncio.gather(*(w.close(4408) for w in stalled), return_exceptions=True)
        await self._send_all(self.watchers, _frame("ping" if self.live else "stale"))

    async def sign_out(self, session: str) -> None:
        """Close the connections of a session that was logged out."""
        gone = {w for w in self.watchers if session and w.session == session}
        self.watchers -= gone
        await asyncio.gather(*(w.close(4401) for w in gone), return_exceptions=True)

    def _wake(self) -> None:
        if self._timer is None:
            loop = asyncio.get_running_loop()
            delay = max(0.0, self._last + TICK_SECONDS - loop.time())
            self._timer = loop.call_later(delay, self._start_flush)

    def _start_flush(self) -> None:
        self._timer = None
        self._last = asyncio.get_running_loop().time()
        self._flushing = asyncio.get_running_loop().create_task(self.flush())

    async def flush(self) -> None:
        """Distribute the events, then send one frame to each watcher that is ready for it."""
        events, self._events = self._events, defaultdict(dict)
        for watcher in self.watchers:
            _distribute(watcher, events)
        self.frames += 1
        # Watchers of one flow share a dictionary: it is encoded once, or twice if some must acknowledge.
        texts: dict[tuple[int, bool], str] = {}
        for watcher in [w for w in self.watchers if w.ready]:
            await self._send(watcher, self._next_frame(watcher, texts))

    def _next_frame(self, watcher: Watcher, texts: dict[tuple[int, bool], str]) -> str:
        changes, watcher.changes = watcher.changes, None
        resync, watcher.resync = watcher.resync, False
        wants_ack = watcher.sent % ACK_EVERY == 0
        watcher.sent += 1
        if wants_ack:
            watcher.unacked, watcher.sent_at = self.frames, time.monotonic()
        number = {"n": self.frames} if wants_ack else {}
        if resync or changes is None:
            return _frame("resync", **number)
        key = id(changes), wants_ack
        if key not in texts:
            texts[key] = _frame("changed", **number, ids=list(changes.items()))
        return texts[key]

    async def _send_all(self, watchers: Iterable[Watcher], text: str) -> None:
        for watcher in list(watchers):
            await self._send(watcher, text)

    async def _send(self, watcher: Watcher, text: str) -> None:
        """Send to one watcher; an error must not keep the others from their frames.

        Sequentially: a send only fills the connection's buffer, and a task for each would cost more.
        """
        try:
            await watcher.send(text)
        except Exception:  # noqa: BLE001 - any error ends the connection
            self.leave(watcher)


def _distribute(watcher: Watcher, events: dict[int, dict[int, int]]) -> None:
    topic = watcher.topic
    if topic.kind == "all":
        seen = {flow: len(rows) for flow, rows in events.items() if topic.includes(flow)}
        if seen:
            watcher.add(seen)
        return
    rows = events.get(topic.flow)
    if not rows:
        return
    if 0 in rows:
        watcher.request_resync()
    elif topic.kind == "flow":
        watcher.add(rows)
    elif topic.wid in rows:
        watcher.add({topic.wid: rows[topic.wid]})


def _frame(op: str, **more: object) -> str:
    return json.dumps({"op": op, **more}, separators=(",", ":"))
