"""The live connection to one page: it watches what its user may see, as long as that is so."""

from __future__ import annotations

import asyncio
import json
import random
from importlib import import_module
from typing import Any

from channels.db import database_sync_to_async
from channels.exceptions import StopConsumer
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.db import Error

from pages.live.hub import Topic, Watcher
from pages.live.limits import BAD_MESSAGE
from pages.live.listener import listener
from pages.live.users import AnyUser, user_of

RECHECK_SECONDS = 60.0

SIGNED_OUT, NOT_FOUND, AWAY = 4401, 4404, 4503


class UnknownUrlConsumer(AsyncWebsocketConsumer):
    """Closes connections to unknown URLs with the code for "not found"."""

    async def connect(self) -> None:
        await self.accept()
        await self.close(NOT_FOUND)


class LiveConsumer(AsyncWebsocketConsumer):
    """Sends frames of ids; accepts nothing but acknowledgements.

    A subclass decides in `topic_for` what may be watched.
    """

    watcher: Watcher | None = None
    recheck: asyncio.Task[None] | None = None

    @staticmethod
    def topic_for(user: AnyUser, target: dict[str, Any]) -> Topic | None:
        """Return the topic that a URL watches for this user, or None if nothing may be watched; may query."""
        raise NotImplementedError

    async def connect(self) -> None:
        """Accept before the database is asked: the client waits for a handshake only some seconds."""
        await self.accept()
        try:
            topic = await self._topic()
        except Error:
            await self.close(AWAY)
            return
        if topic is None:
            return
        session = self.scope["session"].session_key or ""
        self.watcher = Watcher(topic, self.send_text, self.close_with, session)
        await listener().join(self.watcher)
        self.recheck = asyncio.get_running_loop().create_task(self._recheck())

    async def _topic(self) -> Topic | None:
        """Return the topic, or None after closing the connection with the reason. Raises Error."""
        user, topic = await database_sync_to_async(self._allowed)()
        if not user.is_authenticated:
            await self.close(SIGNED_OUT)
        elif topic is None:
            await self.close(NOT_FOUND)
        return topic

    def _allowed(self) -> tuple[AnyUser, Topic | None]:
        """Return the user of the session, and what the user may watch here; one call."""
        engine = import_module(settings.SESSION_ENGINE)
        user = user_of(engine.SessionStore(self.scope["session"].session_key))
        target = self.scope["url_route"]["kwargs"]
        return user, self.topic_for(user, target) if user.is_authenticated else None

    async def _recheck(self) -> None:
        """Check log-in and permissions periodically, because the connection may outlive both."""
        while True:
            # Spread out, so that hundreds of pages do not query at the same moment.
            await asyncio.sleep(RECHECK_SECONDS * random.uniform(0.8, 1.0))  # noqa: S311 - not a secret
            try:
                topic = await self._topic()
            except Error:
                continue
            if topic is None or self.watcher is None:
                return
            self.watcher.topic = topic

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Skip the checks for old database connections, which take a thread: none is kept."""
        if message["type"] == "websocket.receive":
            await self.receive(message.get("text"), message.get("bytes"))
        elif message["type"] == "websocket.connect":
            await self.connect()
        else:
            await self.disconnect(message.get("code", 0))
            raise StopConsumer

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        number = _acknowledged(text_data)
        if self.watcher is None or number is None or not listener().hub.acked(self.watcher, number):
            await self.close(BAD_MESSAGE)

    async def disconnect(self, code: int) -> None:
        if self.recheck:
            self.recheck.cancel()
        if self.watcher:
            listener().leave(self.watcher)

    async def send_text(self, text: str) -> None:
        # Like AsyncWebsocketConsumer.send without its checks: this runs up to a thousand times per second.
        await self.base_send({"type": "websocket.send", "text": text})

    async def close_with(self, code: int) -> None:
        await self.close(code)


def _acknowledged(text: str | None) -> int | None:
    """Return the number of {"op":"ack","n":number}; None for everything else."""
    if not text:
        return None
    try:
        message = json.loads(text)
    except ValueError:
        return None
    if not isinstance(message, dict) or message.get("op") != "ack":
        return None
    number = message.get("n")
    return number if isinstance(number, int) and not isinstance(number, bool) else None
