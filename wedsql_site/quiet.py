"""Exceptions that leave the application without their words, which may quote what somebody sent.

The server writes an exception that reaches it into its log, words and all. Pages have Django's own care; a
live line, and whatever stands before either, has none but this.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from workers.logs import brief

Application = Callable[[Any, Any, Any], Awaitable[Any]]


class ApplicationError(Exception):
    """What was wrong, by its kind and its place."""


class Quiet:
    """The application, with its exceptions told by their kind, their place and their stack alone."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            await self.application(scope, receive, send)
        except Exception as error:  # noqa: BLE001 - the server gets it all the same
            raise ApplicationError(brief(error)).with_traceback(error.__traceback__) from None
