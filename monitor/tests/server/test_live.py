"""The live connection from the commit to the socket, with real notifications and a real listener."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from asgiref.sync import ThreadSensitiveContext
from django.test import Client

from monitor import notifications
from monitor.tests.conftest import Parcels
from monitor.tests.server.live_browser import Browser, play
from pages.live import consumers, listener
from pages.live.hub import Topic, Watcher


def test_a_commit_reaches_every_page_that_shows_it(line: str, alice: Client, parcels: Parcels) -> None:
    wid, other = parcels.start(), parcels.start()

    async def story() -> None:
        everything = await Browser(alice, "/ws/").opened()
        flow = await Browser(alice, f"/ws/flows/{parcels.flow}/").opened()
        one = await Browser(alice, f"/ws/instances/{wid}/").opened()
        elsewhere = await Browser(alice, f"/ws/instances/{other}/").opened()
        parcels.do("tr_pack", wid, stage="packed")
        assert await everything.changed() == {parcels.flow_id: 1}
        assert await flow.changed() == {wid: 2}
        assert await one.changed() == {wid: 2}
        assert await elsewhere.receive_nothing(0.2)
        for browser in (everything, flow, one, elsewhere):
            await browser.disconnect()

    play(story)


def test_frames_carry_ids_and_nothing_else(line: str, alice: Client, parcels: Parcels) -> None:
    async def story() -> None:
        browser = await Browser(alice, f"/ws/flows/{parcels.flow}/").opened()
        wid = parcels.start(customer="Ana Secret")
        text = await browser.receive_from(60)
        assert json.loads(text) == {"op": "changed", "n": json.loads(text)["n"], "ids": [[wid, 1]]}
        await browser.disconnect()

    play(story)


def test_each_listener_has_the_events_once(line: str, alice: Client, parcels: Parcels, settings: Any) -> None:
    settings.INSTALLED_APPS = list(settings.INSTALLED_APPS)  # which makes all apps ready again

    async def story() -> None:
        assert len(listener.listener()._events) == 1

    play(story)


def test_a_watcher_is_registered_only_while_a_page_is_open(
    line: str, alice: Client, parcels: Parcels
) -> None:
    def watching() -> int:
        found = parcels.connection.execute("select count(*) from wedsql.watch").fetchone()
        assert found is not None
        return int(found[0])

    parcels.connection.execute("delete from wedsql.watch")  # of servers that earlier tests stopped

    async def story() -> None:
        first = await Browser(alice, "/ws/").opened()
        second = await Browser(alice, "/ws/").opened()
        assert watching() == 1
        await first.disconnect()
        assert watching() == 1
        await second.disconnect()
        while watching():
            await asyncio.sleep(0.02)

    play(story)


def test_one_connection_serves_all_pages_of_a_process(line: str, alice: Client, parcels: Parcels) -> None:
    async def story() -> None:
        browsers = await asyncio.gather(*(Browser(alice, "/ws/").opened() for _ in range(10)))
        found = parcels.connection.execute(
            "select count(*) from pg_stat_activity where application_name = 'wedsql-monitor'"
        ).fetchone()
        assert found == (1,)
        for browser in browsers:
            await browser.disconnect()

    play(story)


@pytest.mark.parametrize("path", ["/", "/ws/nowhere/", "/ws/instances/x/", "/ws/flows/"])
def test_a_line_that_does_not_exist_is_closed(path: str, line: str, alice: Client) -> None:
    async def story() -> None:
        browser = Browser(alice, path)
        await browser.connect(timeout=60)
        assert await browser.close_code() == consumers.NOT_FOUND

    play(story)


@pytest.mark.parametrize("target", ["flows/{flow}/", "instances/{wid}/"])
def test_a_user_without_rights_gets_no_events(
    target: str, line: str, mallory: Client, parcels: Parcels
) -> None:
    path = "/ws/" + target.format(flow=parcels.flow, wid=parcels.start())

    async def story() -> None:
        browser = Browser(mallory, path)
        await browser.connect(timeout=60)
        assert await browser.close_code() == consumers.NOT_FOUND
        anonymous = Browser(None, path)
        await anonymous.connect(timeout=60)
        assert await anonymous.close_code() == consumers.SIGNED_OUT

    play(story)


def test_the_overview_gets_events_of_visible_flows_only(
    line: str, alice: Client, carol: Client, mallory: Client, parcels: Parcels
) -> None:
    async def story() -> None:
        watching = [await Browser(client, "/ws/").opened() for client in (alice, carol, mallory)]
        parcels.start()
        assert await watching[0].changed() == await watching[1].changed() == {parcels.flow_id: 1}
        assert await watching[2].receive_nothing(0.2)
        for browser in watching:
            await browser.disconnect()

    play(story)


MESSAGES = ["{", "[]", "1", '{"op":"ack"}', '{"op":"ack","n":"1"}', '{"op":"ack","n":true}', "null",
            '{"op":"write","n":1}', "x" * 1000, '{"op":"ack","n":1e999}', "\x00", '"' * 50]  # fmt: skip


def test_anything_but_an_acknowledgement_ends_the_line(line: str, alice: Client, parcels: Parcels) -> None:
    async def story() -> None:
        for message in MESSAGES:
            browser = await Browser(alice, "/ws/").opened()
            await browser.send_to(text_data=message)
            assert await browser.close_code() == consumers.BAD_MESSAGE, message
        browser = await Browser(alice, "/ws/").opened()
        await browser.send_to(bytes_data=b"\xff\x00")
        assert await browser.close_code() == consumers.BAD_MESSAGE

    play(story)


@pytest.mark.parametrize("number", [0, 1, -1, 10**15])
def test_an_unrequested_acknowledgement_ends_the_line(
    number: int, line: str, alice: Client, parcels: Parcels
) -> None:
    async def story() -> None:
        browser = await Browser(alice, "/ws/").opened()
        await browser.send_to(text_data=f'{{"op":"ack","n":{number}}}')
        assert await browser.close_code() == consumers.BAD_MESSAGE

    play(story)


def _terminate(connection: psycopg.Connection[Any], pid: int) -> None:
    connection.execute("select pg_terminate_backend(%s)", [pid])


def test_the_listener_does_not_end_with_the_stream_that_came_first(
    line: str, alice: Client, parcels: Parcels
) -> None:
    """It has started in the context of that stream, whose thread is gone when it connects again."""

    async def ignore(_frame: object) -> None:
        """Take what the stream would get."""

    async def story() -> None:
        stream = Watcher(Topic("all"), ignore, ignore)
        with ThreadPoolExecutor(1) as thread:
            async with ThreadSensitiveContext(executor=thread):
                await listener.listener().join(stream)
        page = await Browser(alice, "/ws/").opened()
        listener.listener().leave(stream)
        _terminate(parcels.connection, listener.listener().backend_pid)
        assert [(await page.frame())["op"] for _ in range(2)] == ["stale", "hello"]
        await page.disconnect()

    play(story)


def test_a_lost_connection_is_shown_and_reopened(line: str, alice: Client, parcels: Parcels) -> None:
    wid = parcels.start()

    async def story() -> None:
        browser = await Browser(alice, f"/ws/instances/{wid}/").opened()
        _terminate(parcels.connection, listener.listener().backend_pid)
        assert (await browser.frame())["op"] == "stale"
        parcels.do("tr_pack", wid, stage="packed")
        frame = await browser.frame()
        assert frame["op"] in ("hello", "changed"), "back within seconds, and what was missed is asked for"
        parcels.do("tr_label", wid, extra={})
        while (await browser.changed()).get(wid) != 3:
            pass
        await browser.disconnect()

    play(story)


def test_what_was_not_notified_is_found_by_comparing(
    line: str, alice: Client, parcels: Parcels, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notifications, "EXPLAINED_SECONDS", 0.5)
    wid = parcels.start()
    parcels.connection.execute("update wedsql.flow set notify_trace = false where name = %s", [parcels.flow])

    async def story() -> None:
        one = await Browser(alice, f"/ws/instances/{wid}/").opened()
        flow = await Browser(alice, f"/ws/flows/{parcels.flow}/").opened()
        assert await one.receive_nothing(0.5)
        parcels.do("tr_pack", wid, stage="packed")
        assert await one.changed() == {wid: 2}
        assert (await flow.frame())["op"] in ("changed", "resync")
        for browser in (one, flow):
            await browser.disconnect()

    play(story)


def test_payloads_of_others_are_ignored(line: str, alice: Client, parcels: Parcels) -> None:
    async def story() -> None:
        browser = await Browser(alice, "/ws/").opened()
        for payload in ("", "x", "1:2", "1:2:3:4", "-1:2:3", "1:2:3; drop", "٣:1:1", "9" * 40 + ":1:1"):
            parcels.connection.execute("select pg_notify('wedsql_trace', %s)", [payload])
        parcels.start()
        assert await browser.changed() == {parcels.flow_id: 1}
        await browser.disconnect()

    play(story)


def test_a_watcher_that_joins_while_the_connection_closes_gets_a_hello(line: str, parcels: Parcels) -> None:
    async def story() -> None:
        received: list[str] = []

        async def send(text: str) -> None:
            received.append(json.loads(text)["op"])

        async def close(code: int) -> None:
            received.append(str(code))

        async def until(condition: Callable[[], bool]) -> None:
            while not condition():
                await asyncio.sleep(0)

        ears = listener.listener()
        first, second = Watcher(Topic("all"), send, close), Watcher(Topic("all"), send, close)
        await ears.join(first)
        await until(lambda: received == ["hello"])
        ears.leave(first)
        parting = next(task for task in asyncio.all_tasks() if "Listener._run" in repr(task.get_coro()))
        await until(lambda: parting.cancelling() > 0)
        assert not parting.done()
        await ears.join(second)
        await until(lambda: received == ["hello", "hello"])
        assert parting.done() and ears.hub.live

    play(story)
