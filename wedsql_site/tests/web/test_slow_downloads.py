"""Clients that read a file slowly, or nothing of it, take nothing that pages wait for: many do no harm."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from flows import api
from monitor.tests.conftest import Parcels, client_of, parcels, person, site
from monitor.views.export import MOST_AT_A_TIME
from testkit.processes import daphne
from testkit.web import WebServer
from tests.http_load import ask, request_text
from wedsql_site import capacity

__all__ = ["parcels", "site"]
# More than all buffers between the server and a client that reads nothing.
ROWS, LONG = 2_000, "x" * 3_000
PERSONS = 40
pytestmark = pytest.mark.slow
APPLICATION = "wedsql_site.tests.web.patient_application:application"


@pytest.fixture
def web(dsn: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[WebServer]:
    """A web process that does not disconnect a client that reads nothing for half a minute."""

    def patient(port: int) -> list[str]:
        return [APPLICATION if ":" in each else each for each in daphne(port)]

    monkeypatch.setattr("testkit.web.daphne", patient)
    with WebServer.on(dsn, WEDSQL_CONNECTIONS_PER_ADDRESS="0") as server:
        yield server


def request(path: str, session: str) -> bytes:
    return request_text(path, headers=f"Cookie: sessionid={session}\r\n")


@asynccontextmanager
async def download(port: int, asked: bytes) -> AsyncIterator[bytes]:
    """Begin a download, read its first line, which is given, and read nothing more."""
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    line.connect(("127.0.0.1", port))
    reader, writer = await asyncio.open_connection(sock=line, limit=1_024)
    try:
        writer.write(asked)
        async with asyncio.timeout(120):
            yield await reader.readline()
    finally:
        writer.transport.abort()


def test_pages_are_answered_while_120_downloads_are_under_way(
    web: WebServer, parcels: Parcels, site: None
) -> None:
    api.instances.start_many(parcels.flow, [{"customer": LONG}] * ROWS, conn=parcels.connection)
    member = f"flow:{parcels.flow}"
    sessions = [client_of(person(f"p{n}", member)).cookies["sessionid"].value for n in range(PERSONS)]
    file = f"/flows/{parcels.flow}/export.csv?columns=customer"
    pages = ["/instances/", f"/flows/{parcels.flow}/", "/"]

    async def story() -> None:
        async with AsyncExitStack() as under_way:
            for each in sessions:
                for _number in range(MOST_AT_A_TIME):
                    begun = download(web.port, request(file, each))
                    assert b" 200 " in await under_way.enter_async_context(begun)
            asked = [request(page, each) for page in pages for each in sessions[: 2 * capacity.PAGES]]
            assert set(await asyncio.gather(*(ask(web.port, one) for one in asked))) == {200}
            more = [ask(web.port, request(file, each)) for each in sessions]
            assert set(await asyncio.gather(*more)) == {429}, "all of them are still under way"

    assert PERSONS * MOST_AT_A_TIME == 120
    asyncio.run(story())
