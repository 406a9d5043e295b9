"""Every URL, live connection and command with every role; a new one fails until it has a row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from channels.testing import WebsocketCommunicator
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern

from monitor.routing import websocket_urlpatterns
from monitor.tests.live_browser import APPLICATION, play
from pages.live import consumers
from tests.access import matrix
from tests.access.conftest import SampleData
from tests.addresses import filled, patterns, text_of

LETTERS = {400: "b", 401: "L", 403: "f", 404: "n", 405: "-"}


def letter(answer: HttpResponse) -> str:
    """Return the answer as the matrix writes it; a server error is its status code."""
    if "/login/?next=" in answer.headers.get("Location", ""):
        return "L"
    served = "y" if answer.status_code < 400 else str(answer.status_code)
    return LETTERS.get(answer.status_code, served)


def test_every_address_has_a_row_and_every_row_an_address() -> None:
    assert {route for route, _ in patterns()} == set(matrix.urls())


@pytest.mark.parametrize("role", matrix.ROLES)
def test_addresses_answer_as_the_matrix_says(role: str, sample: SampleData) -> None:
    column, browser = matrix.ROLES.index(role), sample.client(role)
    found, expected = {}, {}
    client = browser()
    for route, pattern in patterns():
        address = filled(route, pattern, sample.values(route))
        found[route] = tuple(letter(ask(address)) for ask in (client.get, client.post))
        expected[route] = tuple(word[column] for word in matrix.urls().get(route, ("?" * 7,) * 2))
        if "logout" in route:
            client = browser()
    wrong = {route: (found[route], expected[route]) for route in found if found[route] != expected[route]}
    assert wrong == {}, "address: (found, expected) for GET and POST"


def line_patterns() -> Iterator[tuple[str, URLPattern]]:
    yield from ((text_of(entry), entry) for entry in websocket_urlpatterns)


def test_every_line_has_a_row_and_every_row_a_line() -> None:
    assert {route for route, _ in line_patterns()} == set(matrix.lines())


@pytest.mark.parametrize("role", matrix.ROLES)
def test_lines_answer_as_the_matrix_says(role: str, sample: SampleData, settings: Any, dsn: str) -> None:
    settings.MONITOR_DATABASE_URL = dsn
    client = sample.client(role)()
    found: dict[str, str] = {}

    async def story() -> None:
        for route, pattern in line_patterns():
            path = filled(route or "ws/nothing/", pattern, sample.values(route))
            found[route] = await opened(client, path)

    play(story)
    column = matrix.ROLES.index(role)
    assert found == {route: word[column] for route, word in matrix.lines().items()}


async def opened(client: Client, path: str) -> str:
    """Open a line as a browser with these cookies; a frame means that it stays open."""
    cookies = "; ".join(f"{name}={value.value}" for name, value in client.cookies.items())
    line = WebsocketCommunicator(APPLICATION, path, headers=[(b"cookie", cookies.encode())])
    await line.connect(timeout=5)
    answer = await line.receive_output(5)
    if answer["type"] == "websocket.send":
        await line.disconnect()
        return "y"
    return {consumers.SIGNED_OUT: "L", consumers.NOT_FOUND: "n"}[answer["code"]]
