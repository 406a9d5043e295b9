"""Removes messages from exceptions that leave the application, as they may quote what a client sent.

The server logs an exception that reaches it with its message. Django handles those of pages; this is for live
lines and for middleware.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from workers.logs import summarize

Application = Callable[[Any, Any, Any], Awaitable[Any]]


class ApplicationError(Exception):
    """An exception by its type and place, without its message."""


class ExceptionFilter:
    """ASGI middleware that reduces exceptions to type, place and stack."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            await self.application(scope, receive, send)
        except Exception as error:  # noqa: BLE001 - raised again
            raise ApplicationError(summarize(error)).with_traceback(error.__traceback__) from None
