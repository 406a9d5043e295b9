"""The hub alone: the first event at once, then one frame per tick, and at most one unacknowledged."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from pages.live import hub as hub_module
from pages.live.hub import MAX_PENDING, Hub, Topic, Watcher

ALL, FLOW, ONE = Topic("all"), Topic("flow", flow=7), Topic("instance", flow=7, wid=70)


class Page:
    """The browser's end of a connection, as the hub sees it."""

    def __init__(self, hub: Hub, topic: Topic, session: str = "") -> None:
        self.frames: list[dict[str, Any]] = []
        self.closed: list[int] = []
        self.hub = hub
        self.watcher = Watcher(topic, self._send, self._close, session)

    async def _send(self, text: str) -> None:
        self.frames.append({"at": time.monotonic(), **json.loads(text)})

    async def _close(self, code: int) -> None:
        self.closed.append(code)

    @property
    def ops(self) -> list[str]:
        return [frame["op"] for frame in self.frames]

    def ack(self) -> None:
        """Acknowledge the last frame if it asks for it."""
        if "n" in self.frames[-1]:
            self.hub.acked(self.watcher, self.frames[-1]["n"])


def run(story: Callable[[Hub], Awaitable[None]]) -> None:
    async def with_hub() -> None:
        hub = Hub()
        await hub.up()
        await story(hub)

    asyncio.run(with_hub())


async def joined(hub: Hub, topic: Topic, session: str = "") -> Page:
    page = Page(hub, topic, session)
    await hub.join(page.watcher)
    assert page.ops == ["hello"]
    page.frames.clear()
    return page


async def until(condition: Callable[[], bool], seconds: float = 5.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.005)


def test_each_page_gets_ids_and_versions_of_what_it_watches() -> None:
    async def story(hub: Hub) -> None:
        pages = [await joined(hub, topic) for topic in (ALL, FLOW, ONE, Topic("flow", flow=8))]
        hub.event(7, 70, 4)
        hub.event(7, 71, 1)
        await until(lambda: all(page.frames for page in pages[:3]))
        assert [page.frames[0]["ids"] for page in pages[:3]] == [[[7, 2]], [[70, 4], [71, 1]], [[70, 4]]]
        assert pages[3].frames == []

    run(story)


def test_restricted_watchers_get_nothing_of_other_flows() -> None:
    async def story(hub: Hub) -> None:
        page = await joined(hub, Topic("all", flows=frozenset({8})))
        everyone = await joined(hub, ALL)
        hub.event(7, 70, 4)
        await until(lambda: bool(everyone.frames))
        assert page.frames == []

    run(story)


def test_the_first_event_goes_at_once_and_the_rest_by_the_tick() -> None:
    async def story(hub: Hub) -> None:
        page = await joined(hub, FLOW)
        begun = time.monotonic()
        hub.event(7, 1, 1)
        await until(lambda: len(page.frames) == 1)
        page.ack()
        for seq in range(2, 50):
            hub.event(7, 1, seq)
        await until(lambda: len(page.frames) == 2)
        first, second = page.frames
        assert first["at"] - begun < hub_module.TICK_SECONDS
        assert second["at"] - first["at"] >= hub_module.TICK_SECONDS * 0.8
        assert second["ids"] == [[1, 49]]

    run(story)


def test_a_slow_page_gets_one_frame_and_then_the_newest_of_each() -> None:
    async def story(hub: Hub) -> None:
        slow, quick = await joined(hub, FLOW), await joined(hub, FLOW)
        for seq in range(1, 4):
            hub.event(7, 1, seq)
            hub.event(7, 1 + seq, 1)
            await until(lambda seq=seq: bool(quick.frames) and quick.frames[-1]["ids"][0] == [1, seq])
            quick.ack()
        assert len(slow.frames) == 1 and len(quick.frames) == 3
        slow.ack()
        await until(lambda: len(slow.frames) == 2)
        assert sorted(slow.frames[1]["ids"]) == [[1, 3], [3, 1], [4, 1]]

    run(story)


def test_every_so_many_frames_ask_for_an_acknowledgement() -> None:
    async def story(hub: Hub) -> None:
        page, every = await joined(hub, FLOW), hub_module.ACK_EVERY
        for seq in range(1, every + 2):
            hub.event(7, 1, seq)
            await until(lambda seq=seq: len(page.frames) == seq)
            if seq == 1:
                page.ack()
        assert [place for place, frame in enumerate(page.frames) if "n" in frame] == [0, every]
        hub.event(7, 1, every + 2)
        await asyncio.sleep(hub_module.TICK_SECONDS * 3)
        assert len(page.frames) == every + 1, "the second question was not answered"
        page.ack()
        await until(lambda: len(page.frames) == every + 2)

    run(story)


def test_an_old_or_wrong_acknowledgement_frees_nothing() -> None:
    async def story(hub: Hub) -> None:
        page, other = await joined(hub, FLOW), await joined(hub, FLOW)
        hub.event(7, 1, 1)
        await until(lambda: bool(page.frames))
        assert not hub.acked(page.watcher, page.frames[0]["n"] + 1)
        assert not hub.acked(page.watcher, 0)
        other.ack()
        hub.event(7, 1, 2)
        await until(lambda: len(other.frames) == 2)
        assert len(page.frames) == 1

    run(story)


def test_too_many_changes_become_a_resync() -> None:
    async def story(hub: Hub) -> None:
        page = await joined(hub, FLOW)
        hub.event(7, 1, 1)
        await until(lambda: bool(page.frames))
        for wid in range(MAX_PENDING + 1):
            hub.event(7, wid + 1, 1)
        await until(lambda: page.watcher.resync)
        assert page.watcher.changes is None
        page.ack()
        await until(lambda: len(page.frames) == 2)
        assert page.ops[-1] == "resync"

    run(story)


def test_many_at_once_is_read_again_for_the_flow_and_a_change_for_the_overview() -> None:
    async def story(hub: Hub) -> None:
        flow, one, everything = [await joined(hub, topic) for topic in (FLOW, ONE, ALL)]
        hub.event(7, 0, 0)
        await until(lambda: bool(flow.frames and one.frames and everything.frames))
        assert (flow.ops, one.ops, everything.ops) == (["resync"], ["resync"], ["changed"])

    run(story)


def test_a_page_that_never_acknowledges_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "STALLED_SECONDS", 0.02)

    async def story(hub: Hub) -> None:
        dead, living = await joined(hub, FLOW), await joined(hub, FLOW)
        hub.event(7, 1, 1)
        await until(lambda: bool(dead.frames and living.frames))
        living.ack()
        await asyncio.sleep(0.03)
        await hub.ping()
        assert dead.closed == [4408] and dead.watcher not in hub.watchers
        assert living.ops[-1] == "ping" and living.closed == []

    run(story)


def test_a_lost_listener_is_announced_and_a_reconnect_requests_a_resync() -> None:
    async def story(hub: Hub) -> None:
        page = await joined(hub, FLOW)
        await hub.down()
        await hub.down()
        late = Page(hub, FLOW)
        await hub.join(late.watcher)
        assert page.ops == ["stale"] and late.ops == []
        await hub.up()
        assert page.ops == ["stale", "hello"] and late.ops == ["hello"]

    run(story)


def test_signing_out_closes_the_pages_of_that_session_only() -> None:
    async def story(hub: Hub) -> None:
        mine, other, nameless = [await joined(hub, FLOW, session) for session in ("a", "b", "")]
        await hub.sign_out("a")
        await hub.sign_out("")
        assert (mine.closed, other.closed, nameless.closed) == ([4401], [], [])
        assert mine.watcher not in hub.watchers

    run(story)


def test_one_broken_line_does_not_stop_the_others() -> None:
    async def story(hub: Hub) -> None:
        broken, whole = await joined(hub, FLOW), await joined(hub, FLOW)

        async def fail(text: str) -> None:
            raise ConnectionError(text)

        broken.watcher.send = fail
        hub.event(7, 1, 1)
        await until(lambda: bool(whole.frames))
        assert broken.watcher not in hub.watchers and whole.watcher in hub.watchers

    run(story)


def test_two_hundred_watchers_share_one_text() -> None:
    async def story(hub: Hub) -> None:
        pages = [await joined(hub, FLOW) for _ in range(200)]
        texts: set[int] = set()

        def keep(page: Page) -> Callable[[str], Awaitable[None]]:
            async def send(text: str) -> None:
                texts.add(id(text))
                page.frames.append({})

            return send

        for page in pages:
            page.watcher.send = keep(page)
        hub.event(7, 1, 1)
        await until(lambda: all(page.frames for page in pages))
        assert len(texts) == 1

    run(story)
