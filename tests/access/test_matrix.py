"""Every URL, live connection and command with every role; a new one fails until it has a row."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from channels.testing import WebsocketCommunicator
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern

from flows import api
from monitor.routing import websocket_urlpatterns
from monitor.tests.server.live_browser import APPLICATION, play
from pages.live import consumers
from testkit.cases import some
from tests.access import matrix
from tests.access.conftest import SampleData
from tests.addresses import filled, parameters, patterns, text_of

ALL_ROLES = [*matrix.ROLES, *matrix.LIKE]
# In a short run, one in so many of the roles that get the same answer is asked.
SERVED, REFUSED = 4, 2
LETTERS = {400: "b", 401: "L", 403: "f", 404: "n", 405: "-", 409: "c", 422: "b"}


def letter(answer: HttpResponse) -> str:
    """Return the answer as the matrix writes it; a server error is its status code."""
    if "/login/?next=" in answer.headers.get("Location", ""):
        return "L"
    served = "y" if answer.status_code < 400 else str(answer.status_code)
    return LETTERS.get(answer.status_code, served)


def test_every_address_has_a_row_and_every_row_an_address() -> None:
    assert {route for route, _ in patterns()} == set(matrix.urls()), (
        "write a row into tests/access/matrix.py: URLS for pages, API for addresses below api/v1/"
    )


@functools.cache
def asked_of() -> dict[str, set[tuple[str, int]]]:
    """Return of which route and method (0: GET, 1: POST) each role is asked.

    In a short run, each of the answers that a route has is tried with some of the roles that get it.
    They take turns from route to route, and who is the only one with an answer is always asked.
    """
    found: dict[str, set[tuple[str, int]]] = {role: set() for role in ALL_ROLES}
    for number, route in enumerate(matrix.urls()):
        for method in (0, 1):
            alike: dict[str, list[str]] = {}
            for role in ALL_ROLES:
                alike.setdefault(matrix.answers(role)[route][method], []).append(role)
            for answer, roles in alike.items():
                one_in = min(len(roles), SERVED if answer == "y" else REFUSED)
                for role in some(roles, one_in, first=number):
                    found[role].add((route, method))
    return found


def test_each_answer_of_each_route_is_asked_for_and_each_role_of_many_routes() -> None:
    expected = {
        (route, method, matrix.answers(role)[route][method])
        for role in ALL_ROLES
        for route in matrix.urls()
        for method in (0, 1)
    }
    pairs = [(role, *each) for role, many in asked_of().items() for each in many]
    assert {(route, method, matrix.answers(role)[route][method]) for role, route, method in pairs} == expected
    assert min(len(many) for many in asked_of().values()) > len(matrix.urls()) / 3


@pytest.mark.parametrize("role", ALL_ROLES)
def test_addresses_answer_as_the_matrix_says(role: str, sample: SampleData) -> None:
    """The answers to GET and POST; which of them are asked for in a short run, `asked_of` says."""
    browser = sample.client(role)
    wrong, expected, asked = {}, matrix.answers(role), asked_of()[role]
    client = browser()
    for route, pattern in patterns():
        address, answers = filled(route, pattern, sample.values(route)), expected.get(route, ("", ""))
        for method, answer in enumerate(answers):
            if not answer or (route, method) in asked:
                found = letter((client.get, client.post)[method](address))
                wrong |= {} if found == answer else {(route, ("GET", "POST")[method]): (found, answer)}
        if "logout" in route:
            client = browser()
    assert wrong == {}, "(address, method): (found, expected)"


@dataclass(frozen=True)
class OtherFlow:
    """A flow that the roles of one flow do not see, with one instance, which has a business key."""

    name: str
    id: int
    wid: int


@pytest.fixture
def other(sample: SampleData) -> Iterator[OtherFlow]:
    name, session = f"{sample.parcels.flow}_other", sample.parcels.connection
    number = api.flows.create(name, conn=session)
    try:
        rule = {"transition": "tr_x", "predicate": "code is not null"}
        key = {"name": "code", "business_key": True}
        api.flows.publish(name, {"attributes": [key], "triggers": [rule]}, conn=session)
        yield OtherFlow(name, number, api.instances.start(name, {"code": "secret-1"}, conn=session))
    finally:
        session.execute("select wedsql.drop_flow(%s, true)", [name])


@pytest.mark.parametrize("role", matrix.OF_ONE_FLOW)
def test_nothing_of_another_flow_is_served(role: str, sample: SampleData, other: OtherFlow) -> None:
    """Each address of another flow, the lists, and the search for its name, number and business key."""
    client = sample.client(role)()
    values = {"name": other.name, "flow_id": other.id, "wid": other.wid, "object_id": other.id}
    served = {}
    for route, pattern in some(patterns(), 2, matrix.OF_ONE_FLOW.index(role)):  # each by some of the roles
        if {"name", "flow_id", "wid"} & set(parameters(route)) or route.startswith("admin/flows/flow/<path"):
            address = filled(route, pattern, {name: str(value) for name, value in values.items()})
            served[route] = "".join(letter(ask(address)) for ask in (client.get, client.post))
    assert {route: found for route, found in served.items() if set(found) - set("nL-")} == {}
    searches = [f"/search/results/?q={word}" for word in (other.name, other.wid, "secret-1")]
    for address in ("/", "/exceptions/", "/admin/flows/flow/", *searches):
        page = client.get(address).content.decode()
        assert f"/{other.name}/" not in page and f"/instances/{other.wid}/" not in page, address


def test_the_search_finds_what_the_user_sees(sample: SampleData, other: OtherFlow) -> None:
    client = sample.client("superuser")()
    for word in (other.wid, "SECRET"):
        assert f"/instances/{other.wid}/" in client.get(f"/search/results/?q={word}").content.decode()
    assert f"/flows/{other.name}/" in client.get(f"/search/results/?q={other.name}").content.decode()


def live_patterns() -> Iterator[tuple[str, URLPattern]]:
    yield from ((text_of(entry), entry) for entry in websocket_urlpatterns)


def test_every_live_connection_has_a_row_and_every_row_a_live_connection() -> None:
    assert {route for route, _ in live_patterns()} == set(matrix.live_connections())


@pytest.mark.parametrize("role", matrix.ROLES)
def test_live_connections_answer_as_the_matrix_says(
    role: str, sample: SampleData, settings: Any, dsn: str
) -> None:
    settings.MONITOR_DATABASE_URL = dsn
    client = sample.client(role)()
    found: dict[str, str] = {}

    async def story() -> None:
        for route, pattern in live_patterns():
            path = filled(route or "ws/nothing/", pattern, sample.values(route))
            found[route] = await opened(client, path)

    play(story)
    column = matrix.ROLES.index(role)
    assert found == {route: word[column] for route, word in matrix.live_connections().items()}


async def opened(client: Client, path: str) -> str:
    """Open a line as a browser with these cookies; a frame means that it stays open."""
    cookies = "; ".join(f"{name}={value.value}" for name, value in client.cookies.items())
    line = WebsocketCommunicator(APPLICATION, path, headers=[(b"cookie", cookies.encode())])
    await line.connect(timeout=60)
    answer = await line.receive_output(60)
    if answer["type"] == "websocket.send":
        await line.disconnect()
        return "y"
    return {consumers.SIGNED_OUT: "L", consumers.NOT_FOUND: "n"}[answer["code"]]
