"""Streams of events from a real web process: resuming, rights, limits, and what a client leaves behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import Group, User
from django.utils import timezone

from flows import api as kernel
from monitor.api import streams, tokens
from monitor.models import ApiToken
from monitor.tests.api.event_reader import EventReader
from monitor.tests.conftest import Parcels, client_of, numbers_of, parcels, person, site
from testkit.web import WebServer
from tests.http_load import fetch, request_text, send_and_cancel

__all__ = ["parcels", "site"]
Until = Callable[..., None]
Open = Callable[..., EventReader]
RULE = {"transition": "tr_x", "predicate": "x is not null"}


@pytest.fixture(scope="module")
def web(dsn: str) -> Iterator[WebServer]:
    with WebServer.on(dsn, WEDSQL_CONNECTIONS_PER_ADDRESS="0") as server:
        yield server


@pytest.fixture
def owner(parcels: Parcels, site: None) -> User:
    return person("olga", f"flow:{parcels.flow}")


def bearer(user: User, *flows: str) -> str:
    return f"Authorization: Bearer {tokens.create(user, 'a program', 30, flows)[1]}"


@pytest.fixture
def stream(web: WebServer, owner: User) -> Iterator[Open]:
    """A function that opens a stream with a token of `owner`, or with a header; the test's end closes it."""
    opened, own = [], bearer(owner)

    def open_stream(header: str = "", query: str = "", last: str = "", **more: Any) -> EventReader:
        opened.append(EventReader(web.port, header or own, query, last, **more))
        return opened[-1]

    yield open_stream
    for each in opened:
        each.close()


def read_on(reader: EventReader, number: int) -> list[tuple[int, int]]:
    return [each.step for each in reader.steps(number)]


def end_of(reader: EventReader) -> str:
    """Return the reason of the event that ends the stream."""
    while (event := reader.next()) is not None and event.kind != "end":
        pass
    assert event is not None and reader.next() is None
    return str(event.data["reason"])


def test_steps_arrive_with_what_the_history_has(stream: Open, parcels: Parcels) -> None:
    reader = stream(query=f"?flow={parcels.flow}").opened()
    assert reader.headers["content-type"] == "text/event-stream"
    assert reader.headers["cache-control"] == "no-store" and "ratelimit-limit" in reader.headers
    wid = parcels.start(customer="Ana Secret")
    parcels.send(wid)
    found = reader.steps(4)
    assert [each.step for each in found] == [(wid, seq) for seq in (1, 2, 3, 4)]
    assert [each.data["status"] for each in found] == ["running"] * 3 + ["final"]
    assert found[1].data["written_by"] == "tr_label"
    assert set(found[0].data["fired"]) == {"tr_pack", "tr_label"}
    assert len({each.id for each in found}) == 4 and "Secret" not in str(found)


def test_a_client_resumes_by_its_last_id_without_a_gap_or_duplicate(
    stream: Open, parcels: Parcels, connect: Callable[..., psycopg.Connection[Any]]
) -> None:
    """Also with a step whose transaction began before the stream was closed and ended after it."""
    late, reader = connect(), stream(query=f"?flow={parcels.flow}").opened()
    with late.transaction():
        slow = kernel.instances.start(parcels.flow, {}, conn=late)
        wids = parcels.start_many(700)
        found = read_on(reader, 300)
        reader.close()
        wids.append(parcels.start())
    resumed = stream(query=f"?flow={parcels.flow}", last=reader.id).opened()
    found += read_on(resumed, 402)
    assert len(found) == len(set(found)) and {wid for wid, _seq in found} == {slow, *wids}
    last = parcels.start()
    assert read_on(resumed, 1) == [(last, 1)]


def test_a_stream_ends_with_its_token(stream: Open, web: WebServer, owner: User, parcels: Parcels) -> None:
    revoked, expired, kept = bearer(owner), bearer(owner), stream().opened()
    readers = [stream(revoked).opened(), stream(expired).opened()]
    numbers = list(ApiToken.objects.filter(user=owner).order_by("id").values_list("pk", "prefix"))
    assert tokens.revoke(owner, numbers[1][1])
    ApiToken.objects.filter(pk=numbers[2][0]).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert [end_of(each) for each in readers] == ["unauthorized"] * 2
    wid = parcels.start()
    assert read_on(kept, 1) == [(wid, 1)]


def test_a_stream_ends_with_its_session_and_its_account(stream: Open, owner: User) -> None:
    client, other = client_of(owner), client_of(owner)
    cookies = [f"Cookie: sessionid={each.cookies['sessionid'].value}" for each in (client, other)]
    readers = [stream(cookie).opened() for cookie in cookies]
    client.session.flush()
    assert end_of(readers[0]) == "unauthorized"
    User.objects.filter(pk=owner.pk).update(is_active=False)
    assert end_of(readers[1]) == "unauthorized"


def test_a_stream_has_only_what_its_caller_sees_and_follows_the_rights(
    stream: Open, owner: User, parcels: Parcels, connect: Callable[..., psycopg.Connection[Any]]
) -> None:
    """Steps of another flow, which have smaller numbers, do not come first."""
    other = f"{parcels.flow}_other"
    kernel.flows.create(other, conn=connect())
    try:
        everything, one = stream().opened(), stream(query=f"?flow={parcels.flow}").opened()
        kernel.flows.publish(
            other, {"attributes": [{"name": "x"}], "triggers": [RULE]}, conn=parcels.connection
        )
        kernel.instances.start(other, {"x": "1"}, conn=parcels.connection)
        wid = parcels.start()
        assert read_on(everything, 1) == read_on(one, 1) == [(wid, 1)]
        owner.groups.set([Group.objects.get_or_create(name=f"flow:{other}")[0]])
        assert end_of(one) == "unauthorized"
    finally:
        connect().execute("select wedsql.drop_flow(%s, true)", [other])


def test_streams_hold_no_connection_and_no_thread(
    web: WebServer, stream: Open, owner: User, parcels: Parcels, until: Until
) -> None:
    headers = [bearer(owner) for _ in range(4)]
    readers = [stream(header).opened() for header in headers for _ in range(5)]
    until(lambda: number(web, "wedsql_pool_connections_used") <= 1, "streams hold no connection of the pool")
    until(lambda: number(web, "wedsql_web_requests") <= 1, "streams hold no thread")
    assert number(web, "wedsql_live_watchers") == 20
    wid = parcels.start()
    assert [read_on(each, 1) for each in readers] == [[(wid, 1)]] * 20
    listening = "select count(*) = 1 from pg_stat_activity where application_name = 'wedsql-monitor'"
    until(
        lambda: parcels.connection.execute(listening).fetchone() == (True,),
        "one connection listens for all streams",
    )


def number(web: WebServer, name: str) -> float:
    return numbers_of(fetch(web.port, "/metrics"))[name]


def test_a_client_that_disconnects_frees_everything(
    web: WebServer, stream: Open, owner: User, parcels: Parcels, until: Until
) -> None:
    own = bearer(owner)
    readers = [stream(own).opened() for _ in range(streams.MOST_OF_A_CALLER)]
    refused = stream(own)
    assert refused.status == 429 and "Too many streams" in refused.body()["detail"]
    for each in readers:
        each.close()
    until(lambda: number(web, "wedsql_live_watchers") == 0, "no stream watches")
    again = [stream(own) for _ in range(streams.MOST_OF_A_CALLER)]
    assert [each.opened().status for each in again] == [200] * streams.MOST_OF_A_CALLER


def test_requests_that_are_given_up_leave_no_stream(
    web: WebServer, stream: Open, owner: User, parcels: Parcels, until: Until
) -> None:
    """Each is aborted after some milliseconds, before, while or after the stream begins."""
    own = bearer(owner)
    send_and_cancel(web.port, [request_text("/api/v1/events", headers=f"{own}\r\n")] * 40)
    until(lambda: number(web, "wedsql_live_watchers") == 0, "no stream watches")
    until(lambda: stream(own).status == 200, "its place is free again")


def test_a_stream_without_changes_has_heartbeats_and_ends_with_the_process(dsn: str, owner: User) -> None:
    with WebServer.on(dsn) as server:
        with EventReader(server.port, bearer(owner)) as reader:
            reader.opened()
            assert reader.heartbeat().startswith(": heartbeat")
            server.end()
            with suppress(ConnectionError):
                assert reader.next() is None
        assert not server.alive()
