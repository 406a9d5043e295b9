"""What a client sends over a live connection is never in the server's log, whatever fails."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from channels.generic.websocket import AsyncWebsocketConsumer
from channels.testing import WebsocketCommunicator
from daphne.server import Server

from wedsql_site import asgi, logs
from wedsql_site.web.exception_filter import ApplicationError, ExceptionFilter

SECRET = "ana-silva-4111"


class FailingConsumer(AsyncWebsocketConsumer):
    """Raises an error on every message."""

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        raise ValueError(f"cannot read {text_data}")


async def _broken_by(text: str) -> BaseException:
    """Return the exception as the server gets it: raised again it would have other causes."""
    line = WebsocketCommunicator(ExceptionFilter(FailingConsumer.as_asgi()), "/")
    await line.connect(timeout=60)
    await line.send_to(text)
    await asyncio.wait([line.future], timeout=10)
    error = line.future.exception()
    assert error is not None
    return error


def test_the_server_gets_type_and_place_but_no_message() -> None:
    error = asyncio.run(_broken_by(SECRET))
    assert isinstance(error, ApplicationError)
    assert str(error).startswith("ValueError (test_exception_filter.py:") and str(error).endswith(
        " in receive)"
    )


def test_the_log_of_daphne_has_the_stack_but_no_message(caplog: pytest.LogCaptureFixture) -> None:
    """By Daphne's own check of its applications, with one that failed."""
    closed = _daphne_sees(asyncio.run(_broken_by(SECRET)))
    assert closed, "the connection is closed"
    for shape in (logs.TextLines(), logs.JsonLines(), logging.Formatter()):
        logged = [shape.format(record) for record in caplog.records if record.name.startswith("daphne")]
        assert len(logged) == 1 and "Exception inside application: ValueError" in logged[0]
        assert logged[0].count("in receive") == 3, "in the sentence, in the stack and at its end"
        assert SECRET not in logged[0]


@pytest.mark.parametrize("header", [(b"origin", f"http://[{SECRET}]/".encode())])
def test_a_header_that_cannot_be_decoded(header: tuple[bytes, bytes]) -> None:
    """The site's own application: middleware before the live connections is covered, too."""

    async def story() -> None:
        line = WebsocketCommunicator(asgi.application, "/ws/", headers=[header])
        await line.send_input({"type": "websocket.connect"})
        with pytest.raises(ApplicationError) as caught:
            await asyncio.wait_for(line.future, 60)
        assert SECRET not in str(caught.value)

    asyncio.run(story())


def _daphne_sees(error: BaseException) -> bool:
    """Return whether Daphne closed the connection after logging the error."""
    closed: list[BaseException] = []

    class Line:
        handle_exception = closed.append

    class Ended:
        def done(self) -> bool:
            return True

        def exception(self) -> BaseException:
            return error

    class Once(Server):
        def __init__(self) -> None:
            self.connections: dict[Any, Any] = {Line(): {"application_instance": Ended()}}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("daphne.server.reactor", type("Reactor", (), {"callLater": lambda *_: None})())
        Once().application_checker()
    return closed == [error]
