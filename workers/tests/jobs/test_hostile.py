"""All that a handler can do is an attempt of its own job, and leaves the others unchanged."""

from __future__ import annotations

import decimal
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from testkit.waiting import until
from workers.jobs.process_state import SavedState
from workers.tests.conftest import Shop
from workers.tests.jobs import hostile

BATCH = 10


def among_good_ones(shop: Shop, act: Any, size: int) -> tuple[int, list[int]]:
    """Run five jobs, the third of which does `act`; return its instance and the others."""
    wids = shop.start(5)
    bad = wids[2]
    shop.on("tr_one", lambda state, ctx: act(ctx) if ctx.wid == bad else {"a": "good"})
    shop.drain(size)
    return bad, [wid for wid in wids if wid != bad]


@pytest.mark.parametrize("size", [1, BATCH])
@pytest.mark.parametrize("name", sorted(hostile.FAILING))
def test_every_failure_is_counted_once_and_affects_no_other_job(shop: Shop, name: str, size: int) -> None:
    bad, others = among_good_ones(shop, hostile.FAILING[name], size)
    assert [shop.status(wid) for wid in others] == ["F"] * 4
    assert {len(shop.log(wid)) for wid in others} == {0}
    ((outcome, _state, message),) = shop.log(bad)
    assert outcome == "failed" and message
    assert shop.state(bad)["a"] is None


@pytest.fixture
def settled() -> Iterator[None]:
    """Restores the test's process, whatever a handler changed and the product did not restore."""
    before = SavedState()
    alarm = signal.getsignal(signal.SIGALRM)
    yield
    before.restore()
    signal.signal(signal.SIGALRM, alarm)


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize("size", [1, BATCH])
@pytest.mark.parametrize("name", sorted(hostile.CHANGING))
def test_what_a_handler_changes_in_its_process_is_restored(shop: Shop, name: str, size: int) -> None:
    shop.runner.saved_state = SavedState()
    before = _process()
    bad, others = among_good_ones(shop, hostile.CHANGING[name], size)
    assert _process() == before
    assert {shop.status(wid) for wid in [bad, *others]} == {"F"}


def _process() -> tuple[Any, ...]:
    mask = os.umask(0o022)
    os.umask(mask)
    handlers = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    context = decimal.getcontext().prec, sys.getrecursionlimit()
    masked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    streams = id(sys.stdout), id(sys.stderr)
    return os.getcwd(), mask, handlers, context, masked, streams, dict(os.environ)


@pytest.mark.parametrize("size", [1, BATCH])
def test_a_handler_that_closes_the_socket_costs_no_other_job_an_attempt(shop: Shop, size: int) -> None:
    """No byte of the protocol is written to the file that gets the descriptor of the socket."""
    mine, theirs = socket.socketpair()
    number = shop.runner.wire.socket

    def steal(ctx: Any) -> Any:
        if shop.runner.wire.socket == number:
            os.dup2(theirs.fileno(), number)
        return {"a": "good"}

    with mine, theirs:
        bad, others = among_good_ones(shop, steal, size)
        assert shop.runner.must_be_replaced and shop.runner.stopping
        shop.runner.stopping = False
        shop.finish([bad, *others], size)
        os.close(number)
        assert {len(shop.log(wid)) for wid in [bad, *others]} == {0}
        mine.setblocking(False)
        with pytest.raises(BlockingIOError):
            mine.recv(1)


@pytest.mark.parametrize("size", [1, BATCH])
@pytest.mark.parametrize("borrows", [False, True])
def test_a_child_of_a_handler_ends_with_it_and_sends_nothing(shop: Shop, size: int, borrows: bool) -> None:
    told_read, told_write = os.pipe()

    def fork(ctx: Any) -> Any:
        connection = ctx.connection if borrows else None
        if os.fork() == 0:
            try:
                (connection or ctx.connection).execute("select 1")
            except BaseException as error:  # noqa: BLE001  # any error is reported
                os.write(told_write, type(error).__name__.encode())
            return {"a": "child"}
        os.wait()
        return {"a": "good"}

    bad, others = among_good_ones(shop, fork, size)
    assert {shop.state(wid)["a"] for wid in [bad, *others]} == {"good"}
    assert os.read(told_read, 100) in {b"OperationalError", b"ForkedProcess"}
    assert {len(shop.log(wid)) for wid in [bad, *others]} == {0}


@pytest.mark.parametrize("size", [1, BATCH])
def test_a_thread_that_outlives_its_handler_has_no_connection_any_more(shop: Shop, size: int) -> None:
    go, found = threading.Event(), []

    def later(connection: psycopg.Connection[Any]) -> None:
        go.wait(10)
        try:
            connection.execute("rollback")
        except psycopg.Error as error:
            found.append(error)

    def start(ctx: Any) -> Any:
        threading.Thread(target=later, args=[ctx.connection], daemon=True).start()
        return {"a": "good"}

    bad, others = among_good_ones(shop, start, size)
    go.set()
    until(lambda: found, what="the thread's error")
    assert {shop.status(wid) for wid in [bad, *others]} == {"F"}


SETTINGS = [
    "set statement_timeout = '1ms'",
    "set lock_timeout = '1ms'",
    "set search_path = pg_temp",
    "set client_encoding = 'SQL_ASCII'",
    "set timezone = 'Asia/Tokyo'",
    "set role wed_eval",
    "set default_transaction_read_only = on",
    "set default_transaction_isolation = 'serializable'",
    "deallocate all",
]


@pytest.mark.parametrize("size", [1, BATCH])
@pytest.mark.parametrize("setting", SETTINGS)
def test_a_setting_of_a_handler_ends_with_it(shop: Shop, setting: str, size: int) -> None:
    bad, others = among_good_ones(shop, lambda ctx: ctx.connection.execute(setting) and {"a": "good"}, size)
    shop.finish([bad, *others], size)
    assert {shop.status(wid) for wid in [bad, *others]} == {"F"}
    assert {len(shop.log(wid)) for wid in [bad, *others]} == {0}
    more = shop.start(3)
    shop.drain(size)
    assert {shop.status(wid) for wid in more} == {"F"} and {len(shop.log(wid)) for wid in more} == {0}


@pytest.mark.parametrize("size", [1, BATCH])
@pytest.mark.parametrize("hidden", [False, True])
def test_a_connection_lost_in_a_handler_is_no_attempt(shop: Shop, size: int, hidden: bool) -> None:
    cuts = []

    def cut(ctx: Any) -> Any:
        connection = ctx.connection
        if not cuts:
            cuts.append(connection.info.backend_pid)
            shop.db.execute("select pg_terminate_backend(%s)", cuts)
        try:
            connection.execute("select 1")
        except psycopg.OperationalError as error:
            if hidden:
                raise ValueError("the query did not work") from error
            raise
        return {"a": "good"}

    bad, others = among_good_ones(shop, cut, size)
    shop.finish([bad, *others], size)
    assert cuts and {len(shop.log(wid)) for wid in [bad, *others]} == {0}
    assert {shop.status(wid) for wid in [bad, *others]} == {"F"}


@pytest.mark.parametrize("size", [1, BATCH])
def test_a_connection_lost_before_a_handler_gets_it_is_no_attempt(shop: Shop, size: int) -> None:
    cuts = []

    def cut(ctx: Any) -> Any:
        if not cuts:
            cuts.append(shop.runner.wire.connection.info.backend_pid)
            shop.db.execute("select pg_terminate_backend(%s)", cuts)
            until(lambda: not shop.one("select 1 from pg_stat_activity where pid = %s", *cuts))
        ctx.connection.execute("select 1")
        return {"a": "good"}

    bad, others = among_good_ones(shop, cut, size)
    shop.finish([bad, *others], size)
    assert cuts and {len(shop.log(wid)) for wid in [bad, *others]} == {0}
