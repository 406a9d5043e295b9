"""Threads close their connections whatever happens on them, and a pool never exceeds its size."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, transaction
from django.urls import resolve

from wedsql_site import capacity, database
from wedsql_site.web.request_threads import RequestPool, RequestThreads, ReturningExecutor

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def thread() -> Iterator[ReturningExecutor]:
    with ReturningExecutor(1) as executor:
        yield executor


def ask() -> None:
    with connection.cursor() as cursor:
        cursor.execute("select 1")


def fail() -> None:
    ask()
    raise ZeroDivisionError


def fail_inside_a_transaction() -> None:
    with transaction.atomic():
        ask()
        raise CancelledError


def leave_a_transaction_open() -> None:
    connection.set_autocommit(False)
    ask()


def is_open(thread: ReturningExecutor) -> bool:
    """Return whether the thread still has a connection, without closing it."""
    return ThreadPoolExecutor.submit(thread, lambda: connection.connection is not None).result()


@pytest.mark.parametrize("act", [ask, fail, fail_inside_a_transaction, leave_a_transaction_open])
def test_a_thread_keeps_no_connection(act: Callable[[], None], thread: ReturningExecutor) -> None:
    thread.submit(act).exception() if act is not fail_inside_a_transaction else _ended(thread, act)
    assert not is_open(thread)
    thread.submit(ask).result()
    assert not is_open(thread)


def _ended(thread: ReturningExecutor, act: Callable[[], None]) -> None:
    with pytest.raises(CancelledError):
        thread.submit(act).result()


def test_a_full_lane_rejects_and_recovers() -> None:
    async def story() -> None:
        pool = RequestPool("test", 2, max_waiting=1)
        first, second = await pool.take(), await pool.take()
        waiter = asyncio.create_task(pool.take())
        await asyncio.sleep(0)
        assert first and second and pool.waiting == 1
        assert await asyncio.wait_for(pool.take(), 10) is None and pool.rejected == 1
        pool.release(first)
        assert await waiter is first
        pool.release(first)
        pool.release(second)
        while pool.busy:
            await asyncio.sleep(0.01)
        assert await pool.take() is not None

    asyncio.run(story())


def test_threads_are_given_in_the_order_of_the_requests() -> None:
    """Also before a request that comes when a thread is returned, and after one that has left."""

    async def story() -> None:
        pool = RequestPool("test", 1)
        thread = await pool.take()
        order: list[int] = []

        async def request(number: int) -> None:
            got = await pool.take()
            order.append(number)
            assert got is not None
            pool.release(got)

        requests = [asyncio.create_task(request(number)) for number in range(4)]
        await asyncio.sleep(0)
        requests.pop(1).cancel()
        assert thread is not None
        pool.release(thread)
        requests.append(asyncio.create_task(request(9)))
        while not order:
            await asyncio.sleep(0)
            if pool.waiting < 4:
                requests.append(asyncio.create_task(request(9)))
        await asyncio.gather(*requests)
        assert order[:3] == [0, 2, 3] and set(order[3:]) == {9}

    asyncio.run(story())


def test_a_request_that_waits_too_long_is_rejected_and_leaves_the_queue() -> None:
    async def story() -> None:
        pool = RequestPool("test", 1, max_waiting=5, seconds=0.01)
        thread = await pool.take()
        assert await pool.take() is None and (pool.rejected, pool.waiting) == (1, 0)
        assert thread is not None
        pool.release(thread)
        while pool.busy:
            await asyncio.sleep(0.01)
        assert await pool.take() is thread and pool.rejected == 1

    asyncio.run(story())


def test_each_thread_has_a_connection_of_the_pool() -> None:
    """With fewer connections requests would wait a second time, where no limit of the first queue applies."""
    names: set[str] = set()

    async def application(_scope: Any, _receive: Any, _send: Any) -> None:
        from asgiref.sync import sync_to_async

        await sync_to_async(lambda: names.add(threading.current_thread().name))()

    async def story() -> None:
        threads = RequestThreads(application)
        for _ in range(2 * capacity.LIVE):
            await threads({"type": "websocket"}, None, None)
        assert len(names) == capacity.LIVE
        others: Any = asyncio.get_running_loop()
        together = threads.pages.size + threads.devices.size + threads.probes.size + len(names)
        together += others._default_executor._max_workers + capacity.LISTENER
        assert together == database.default("web")["OPTIONS"]["pool"]["max_size"]

    asyncio.run(story())


EXCHANGED = ("/offline/sync/", "/offline/results/", "/offline/packages/1/", "/offline/files/1/photo/",
             "/api/v1/offline/tasks", "/api/v1/offline/packages/1", "/api/v1/offline/results")  # fmt: skip


@pytest.mark.parametrize("path", EXCHANGED)
def test_what_devices_exchange_holds_no_thread_of_a_page(path: str) -> None:
    """However many devices find their connection at once, a page is answered before they are."""
    assert resolve(path)
    over, answered = threading.Event(), []

    async def application(scope: Any, _receive: Any, _send: Any) -> None:
        from asgiref.sync import sync_to_async

        await sync_to_async(over.wait if scope["path"] == path else lambda: answered.append(scope["path"]))()

    async def story() -> None:
        threads = RequestThreads(application)
        count = capacity.DEVICES + capacity.PAGES
        scopes = [{"type": "http", "path": path} for _ in range(count)]
        devices = [asyncio.create_task(threads(scope, None, None)) for scope in scopes]
        await asyncio.sleep(0)
        async with asyncio.timeout(20):
            await threads({"type": "http", "path": "/tasks/"}, None, None)
            await threads({"type": "http", "path": "/offline/away/"}, None, None)
        assert threads.devices.waiting == capacity.PAGES
        over.set()
        await asyncio.gather(*devices)

    asyncio.run(story())
    assert answered == ["/tasks/", "/offline/away/"]


def test_a_waiter_that_is_cancelled_takes_no_thread_with_it() -> None:
    async def story() -> None:
        pool = RequestPool("test", 1, max_waiting=5)
        thread = await pool.take()
        waiters = [asyncio.create_task(pool.take()) for _ in range(3)]
        await asyncio.sleep(0)
        assert thread is not None
        pool.release(thread)
        for waiter in waiters:
            waiter.cancel()
        await asyncio.gather(*waiters, return_exceptions=True)
        for waiter in waiters:
            if not waiter.cancelled() and (late := waiter.result()) is not None:
                pool.release(late)
        while pool.busy:
            await asyncio.sleep(0.01)
        assert pool.waiting == 0

    asyncio.run(story())


def test_a_waiter_that_is_cancelled_when_it_is_its_turn_hands_the_thread_on() -> None:
    async def story() -> None:
        pool = RequestPool("test", 1)
        thread = await pool.take()
        first, second = (asyncio.create_task(pool.take()) for _ in range(2))
        await asyncio.sleep(0)
        assert thread is not None
        pool._give(thread)
        first.cancel()
        assert await asyncio.wait_for(second, 20) is thread and first.cancelled()

    asyncio.run(story())


def test_a_stream_of_events_holds_no_thread() -> None:
    async def story() -> None:
        ended: list[bool] = []

        async def application(_scope: Any, _receive: Any, send: Any) -> None:
            headers = [(b"content-type", b"text/event-stream")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": b"x", "more_body": True})
            while threads.pages.busy:
                await asyncio.sleep(0)
            ended.append(True)

        async def send(_message: Any) -> None:
            """Take it."""

        threads = RequestThreads(application)
        async with asyncio.timeout(20):
            await threads({"type": "http", "path": "/"}, None, send)
        assert ended

    asyncio.run(story())


def test_the_thread_of_a_cancelled_request_is_free_when_its_work_has_ended() -> None:
    """The server cancels the request while its thread is working."""
    working, let_go = threading.Event(), threading.Event()

    def work() -> None:
        ask()
        working.set()
        let_go.wait(10)

    async def application(_scope: Any, _receive: Any, _send: Any) -> None:
        from asgiref.sync import sync_to_async

        await sync_to_async(work)()

    async def story() -> None:
        threads = RequestThreads(application)
        request = asyncio.create_task(threads({"type": "http", "path": "/"}, None, None))
        await asyncio.to_thread(working.wait, 10)
        request.cancel()
        await asyncio.gather(request, return_exceptions=True)
        assert threads.pages.busy == 1, "its thread still works"
        let_go.set()
        while threads.pages.busy:
            await asyncio.sleep(0.01)
        thread = await threads.pages.take()
        assert thread is not None and not is_open(thread)

    asyncio.run(story())


def test_under_load_probes_are_answered_and_the_rest_gets_503() -> None:
    async def story() -> None:
        asked: list[str] = []

        async def application(scope: Any, _receive: Any, _send: Any) -> None:
            asked.append(scope["path"])

        sent: list[dict[str, Any]] = []

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        threads = RequestThreads(application)
        threads.pages = RequestPool("test", 1, max_waiting=0)
        await threads.pages.take()
        await threads({"type": "http", "path": "/"}, None, send)
        assert sent[0]["status"] == 503 and (b"retry-after", b"5") in sent[0]["headers"]
        await threads({"type": "http", "path": "/healthz"}, None, send)
        assert asked == ["/healthz"]

    asyncio.run(story())


def parts(count: int) -> Any:
    """Return an application that sends a response of so many parts, each made on the request's thread."""

    async def application(_scope: Any, _receive: Any, send: Any) -> None:
        from asgiref.sync import sync_to_async

        await send({"type": "http.response.start", "status": 200, "headers": []})
        for number in range(count):
            await sync_to_async(ask)()
            await send({"type": "http.response.body", "body": b"x", "more_body": number < count - 1})
        await sync_to_async(ask)()

    return application


def test_a_client_that_reads_slowly_holds_no_thread() -> None:
    """More such clients than threads: another request is answered, and each of them gets all its parts."""

    async def story() -> None:
        threads = RequestThreads(parts(3))
        threads.pages = RequestPool("test", 2, max_waiting=20)
        reads = asyncio.Event()
        waiting: list[int] = []
        received: dict[int, int] = {}

        async def slowly(number: int) -> None:
            async def send(message: dict[str, Any]) -> None:
                if message["type"] == "http.response.body":
                    received[number] = received.get(number, 0) + 1
                    waiting.append(number)
                    if message["more_body"]:
                        await reads.wait()

            await threads({"type": "http", "path": "/"}, None, send)

        async def at_once(_message: dict[str, Any]) -> None:
            """Take it."""

        slow = [asyncio.create_task(slowly(number)) for number in range(5)]
        async with asyncio.timeout(30):
            while len(waiting) < len(slow):
                await asyncio.sleep(0)
            await threads({"type": "http", "path": "/"}, None, at_once)
            reads.set()
            await asyncio.gather(*slow)
            assert received == dict.fromkeys(range(5), 3)
            while threads.pages.busy:
                await asyncio.sleep(0)

    asyncio.run(story())


def test_the_client_of_a_stream_that_leaves_leaves_no_thread_taken() -> None:
    async def story() -> None:
        threads = RequestThreads(parts(3))
        threads.pages = RequestPool("test", 1, max_waiting=20)
        sending = asyncio.Event()

        async def never(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.body":
                sending.set()
                await asyncio.Event().wait()

        async with asyncio.timeout(30):
            request = asyncio.create_task(threads({"type": "http", "path": "/"}, None, never))
            await sending.wait()
            request.cancel()
            await asyncio.gather(request, return_exceptions=True)
            while threads.pages.busy:
                await asyncio.sleep(0)
            assert await threads.pages.take() is not None and threads.pages.busy == 1

    asyncio.run(story())
