"""Who watches what in this process, and one frame for all of them at most every tenth of a second.

A frame carries ids and versions only; the page fetches what it shows. Every ASK_EVERY-th frame asks for an
acknowledgement, and until that has come the watcher gets no other: news pile up as one entry an id, and
beyond MAX_PENDING ids as "read again".
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
ASK_EVERY = 10
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

    def sees(self, flow: int) -> bool:
        return self.flows is None or flow in self.flows


@dataclass(eq=False)
class Watcher:
    """One browser page. `news` maps what changed to its version; `again` asks it to read everything."""

    topic: Topic
    send: Send
    close: Close
    session: str = ""
    news: dict[int, int] | None = None
    again: bool = False
    sent: int = 0
    unacked: int = 0
    sent_at: float = 0.0

    def add(self, news: dict[int, int]) -> None:
        """Remember the newest version of each id; `news` is shared with others and never written to."""
        if self.again:
            return
        self.news = news if self.news is None else self.news | news
        if len(self.news) > MAX_PENDING:
            self.read_again()

    def read_again(self) -> None:
        self.news, self.again = None, True

    @property
    def ready(self) -> bool:
        return not self.unacked and (self.again or bool(self.news))


class Hub:
    """The watchers of one event loop. Not thread-safe: call it in its loop."""

    def __init__(self) -> None:
        self.watchers: set[Watcher] = set()
        self.live = False
        self.stale_since = time.time()
        self.heard: dict[int, float] = {}
        self.frames = 0
        self._events: dict[int, dict[int, int]] = defaultdict(dict)
        self._timer: asyncio.TimerHandle | None = None
        self._flushing: asyncio.Task[None] | None = None
        self._last = 0.0

    def watched_flows(self) -> set[int]:
        """Flows that have a page of their own open somewhere."""
        return {w.topic.flow for w in self.watchers if w.topic.flow}

    def watched_wids(self) -> dict[int, int]:
        """Instances that have a page open, each with its flow."""
        return {w.topic.wid: w.topic.flow for w in self.watchers if w.topic.kind == "instance"}

    async def join(self, watcher: Watcher) -> None:
        """From now on the watcher hears; it is greeted when the listener is up."""
        self.watchers.add(watcher)
        if self.live:
            await watcher.send(_frame("hello"))

    def leave(self, watcher: Watcher) -> None:
        self.watchers.discard(watcher)

    def event(self, flow: int, wid: int, seq: int) -> None:
        """An instance moved; `wid` 0 means that many did. The first event goes out at once."""
        self.heard[flow] = time.monotonic()
        rows = self._events[flow]
        rows[wid] = max(seq, rows.get(wid, 0))
        self._wake()

    def acked(self, watcher: Watcher, number: int) -> bool:
        """Let the watcher have the next frame; return False for a number that was not asked for."""
        if not watcher.unacked or number != watcher.unacked:
            return False
        watcher.unacked = 0
        if watcher.ready:
            self._wake()
        return True

    async def up(self) -> None:
        """The listener hears again: what it missed nobody knows, so every page reads once."""
        self.live = True
        await self._tell(self.watchers, _frame("hello"))

    async def down(self) -> None:
        """The listener hears nothing any more; pages say so."""
        if self.live:
            self.live, self.stale_since = False, time.time()
            await self._tell(self.watchers, _frame("stale"))

    async def ping(self) -> None:
        """Shows the living that the line is alive, and lets go of those who stopped answering."""
        limit = time.monotonic() - STALLED_SECONDS
        stalled = {w for w in self.watchers if w.unacked and w.sent_at < limit}
        self.watchers -= stalled
        await asyncio.gather(*(w.close(4408) for w in stalled), return_exceptions=True)
        await self._tell(self.watchers, _frame("ping" if self.live else "stale"))

    async def sign_out(self, session: str) -> None:
        """The person of this session logged out: its pages hear nothing any more."""
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
        """Hand out what has been heard, then send one frame to everyone who is ready for it."""
        events, self._events = self._events, defaultdict(dict)
        for watcher in self.watchers:
            _hand_out(watcher, events)
        self.frames += 1
        # Watchers of one flow share one dictionary: it is written as text once, twice where some are asked.
        texts: dict[tuple[int, bool], str] = {}
        for watcher in [w for w in self.watchers if w.ready]:
            await self._send(watcher, self._next_frame(watcher, texts))

    def _next_frame(self, watcher: Watcher, texts: dict[tuple[int, bool], str]) -> str:
        news, watcher.news = watcher.news, None
        again, watcher.again = watcher.again, False
        asks = watcher.sent % ASK_EVERY == 0
        watcher.sent += 1
        if asks:
            watcher.unacked, watcher.sent_at = self.frames, time.monotonic()
        number = {"n": self.frames} if asks else {}
        if again or news is None:
            return _frame("resync", **number)
        key = id(news), asks
        if key not in texts:
            texts[key] = _frame("changed", **number, ids=list(news.items()))
        return texts[key]

    async def _tell(self, watchers: Iterable[Watcher], text: str) -> None:
        for watcher in list(watchers):
            await self._send(watcher, text)

    async def _send(self, watcher: Watcher, text: str) -> None:
        """One line that is broken must not keep the others from hearing.

        One after the other: a line takes what it is given into its buffer, and a task each would cost more.
        """
        try:
            await watcher.send(text)
        except Exception:  # noqa: BLE001 - whatever broke, the line is gone
            self.leave(watcher)


def _hand_out(watcher: Watcher, events: dict[int, dict[int, int]]) -> None:
    topic = watcher.topic
    if topic.kind == "all":
        seen = {flow: len(rows) for flow, rows in events.items() if topic.sees(flow)}
        if seen:
            watcher.add(seen)
        return
    rows = events.get(topic.flow)
    if not rows:
        return
    if 0 in rows:
        watcher.read_again()
    elif topic.kind == "flow":
        watcher.add(rows)
    elif topic.wid in rows:
        watcher.add({topic.wid: rows[topic.wid]})


def _frame(op: str, **more: object) -> str:
    return json.dumps({"op": op, **more}, separators=(",", ":"))
