"""Readers who ask for one page after the other, and live pages that are opened meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from testkit.live import arguments
from tests.http_load import ask, request_text


@dataclass
class Load:
    """The pages that readers ask for without a pause, as the owner of a session."""

    port: int
    session: str
    paths: Sequence[str]
    answers: Counter[int] = field(default_factory=Counter)
    _numbers: count[int] = field(default_factory=count)

    @contextlib.asynccontextmanager
    async def readers(self, number: int) -> AsyncIterator[None]:
        """Let so many readers ask until the block ends; the answers under way are awaited and counted."""
        ended = asyncio.Event()
        tasks = [asyncio.create_task(self._read(ended)) for _ in range(number)]
        try:
            yield
        finally:
            ended.set()
            await asyncio.gather(*tasks)

    async def at_rate(self, rate: float, seconds: float) -> None:
        """Ask for so many pages per second, answered or not; the answers are awaited and counted."""
        asked = []
        for _ in range(round(rate * seconds)):
            asked.append(asyncio.create_task(self._ask()))
            await asyncio.sleep(1 / rate)
        await asyncio.gather(*asked)

    async def _read(self, ended: asyncio.Event) -> None:
        while not ended.is_set():
            await self._ask()

    async def _ask(self) -> None:
        """Ask for the next page, and count its status, 0 for none."""
        status, path = 0, self.paths[next(self._numbers) % len(self.paths)]
        with contextlib.suppress(OSError, TimeoutError):
            status = await self.get(path)
        self.answers[status] += 1

    async def get(self, path: str) -> int:
        """Return the status of one page."""
        return await ask(self.port, request_text(path, headers=f"Cookie: sessionid={self.session}\r\n"))

    async def answered(self, number: int) -> None:
        """Wait until so many pages were answered in all."""
        while self.answers.total() < number:
            await asyncio.sleep(0.05)

    async def open_sockets(self, number: int, path: str = "/ws/") -> int:
        """Open so many live connections at once; return how many were greeted."""
        greeted = await asyncio.gather(*(self._greeted(path) for _ in range(number)))
        return sum(greeted)

    async def _greeted(self, path: str) -> bool:
        try:
            async with connect(**arguments(self.port, path, f"sessionid={self.session}")) as line:
                async with asyncio.timeout(20):
                    return bool(json.loads(await line.recv())["op"] == "hello")
        except (OSError, TimeoutError, WebSocketException):
            return False
