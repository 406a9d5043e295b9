"""The live line to one page: it may watch what its person may see, for as long as that holds."""

from __future__ import annotations

import asyncio
import json
import random
from importlib import import_module
from typing import Any

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.db import Error

from pages.live.bounded import BAD_MESSAGE
from pages.live.hub import Topic, Watcher
from pages.live.listener import listener
from pages.live.users import AnyUser, session_user

RECHECK_SECONDS = 60.0

SIGNED_OUT, NOT_FOUND, AWAY = 4401, 4404, 4503


class NowhereConsumer(AsyncWebsocketConsumer):
    """Turns away whoever asks for a line that does not exist, as a page that does not exist would."""

    async def connect(self) -> None:
        await self.accept()
        await self.close(NOT_FOUND)


class LiveConsumer(AsyncWebsocketConsumer):
    """Sends frames of ids; takes nothing but acknowledgements of them.

    A subclass decides in `topic_for` what may be watched.
    """

    watcher: Watcher | None = None
    recheck: asyncio.Task[None] | None = None

    @staticmethod
    def topic_for(user: AnyUser, target: dict[str, Any]) -> Topic | None:
        """What an address watches for this user, or None where there is nothing for them; may query."""
        raise NotImplementedError

    async def connect(self) -> None:
        await self.accept()
        topic = await self._topic(self.scope["user"])
        if topic is None:
            return
        session = self.scope["session"].session_key or ""
        self.watcher = Watcher(topic, self.send_text, self.close_with, session)
        await listener().join(self.watcher)
        self.recheck = asyncio.get_running_loop().create_task(self._recheck())

    async def _topic(self, user: AnyUser) -> Topic | None:
        """The topic, or None after the line was closed with the reason."""
        if not user.is_authenticated:
            await self.close(SIGNED_OUT)
            return None
        try:
            topic = await database_sync_to_async(self.topic_for)(user, self.scope["url_route"]["kwargs"])
        except Error:
            await self.close(AWAY)
            return None
        if topic is None:
            await self.close(NOT_FOUND)
        return topic

    async def _recheck(self) -> None:
        """A line outlives a log-out and a right that was taken away: look at both again and again."""
        while True:
            # Spread out, so that two hundred pages do not ask in the same moment.
            await asyncio.sleep(RECHECK_SECONDS * random.uniform(0.8, 1.0))  # noqa: S311 - no secret depends on it
            try:
                user = await self._user_now()
            except Error:
                continue
            topic = await self._topic(user)
            if topic is None or self.watcher is None:
                return
            self.watcher.topic = topic

    async def _user_now(self) -> AnyUser:
        engine = import_module(settings.SESSION_ENGINE)
        session = engine.SessionStore(self.scope["session"].session_key)
        user: AnyUser = await session_user(session)
        return user

    async def dispatch(self, message: dict[str, Any]) -> None:
        """An acknowledgement asks no database: it is spared the look at old connections in a thread."""
        if message["type"] == "websocket.receive":
            await self.receive(message.get("text"), message.get("bytes"))
        else:
            await super().dispatch(message)

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
        # As AsyncWebsocketConsumer.send does, without its questions: this is done a thousand times a second.
        await self.base_send({"type": "websocket.send", "text": text})

    async def close_with(self, code: int) -> None:
        await self.close(code)


def _acknowledged(text: str | None) -> int | None:
    """The number in {"op":"ack","n":number}; None for everything else."""
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
