"""Devices that find their connection again at the web process, and a person who reads a page meanwhile."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bench import site
from bench.probes.base import Stage
from tests.http_load import ask

_TOKEN = "0123456789abcdef" * 2
_AGAIN = 5.0
_DEADLINE = 600.0
_PAUSE = 0.05
_SESSIONS = """
import json, sys
from importlib import import_module
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user_model
from django.contrib.auth.models import Group
from django.utils import timezone
model, store = get_user_model(), import_module(settings.SESSION_ENGINE).SessionStore
found = {{}}
for role, names in {persons!r}.items():
    group = Group.objects.get_or_create(name="role:" + role)[0]
    users = model.objects.bulk_create([model(username=name, password="!") for name in names])
    group.user_set.add(*users)
    for user in users:
        session = store()
        session[SESSION_KEY] = str(user.pk)
        session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[-1]
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session.create()
        found[user.username] = session.session_key
print("sessions", json.dumps(found))
"""


def sessions(stage: Stage, database: str, persons: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Make the persons of each role, log them in, and return the session of each."""
    output = site.run(stage.cluster, database, "shell", "-c", _SESSIONS.format(persons={**persons}))
    line = next(one for one in output.splitlines() if one.startswith("sessions "))
    return dict[str, str](json.loads(line.partition(" ")[2]))


@dataclass
class Reconnection:
    """Devices that reconnect at a web process, and a person who reads a page there meanwhile."""

    port: int
    sessions: Mapping[str, str]
    pages: list[float] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)
    turned_away: int = 0

    def read(self, reader: str, count: int) -> list[float]:
        """Return the seconds of so many pages of a person, while nothing else is asked."""
        return asyncio.run(self._read(reader, asyncio.Event(), count))

    def run(self, devices: Sequence[Any], seconds: float, reader: str) -> float:
        """Have the devices deliver, spread over so many seconds; return the seconds until all have."""

        async def all_at_once() -> float:
            over, begun = asyncio.Event(), time.perf_counter()
            reading = asyncio.create_task(self._read(reader, over, None))
            waits = [seconds * place / len(devices) for place in range(len(devices))]
            await asyncio.gather(*map(self._deliver, devices, waits))
            took = time.perf_counter() - begun
            over.set()
            self.pages = await reading
            return took

        return asyncio.run(all_at_once())

    async def _read(self, reader: str, over: asyncio.Event, count: int | None) -> list[float]:
        times: list[float] = []
        while not over.is_set() and (count is None or len(times) < count):
            begun = time.perf_counter()
            status = await self._ask(reader, "/tasks/?tab=open")
            if status != 200:
                raise RuntimeError(f"the page of another person was answered with {status}")
            times.append(time.perf_counter() - begun)
            await asyncio.sleep(_PAUSE)
        return times[5:]

    async def _deliver(self, device: Any, wait: float) -> None:
        """Send how the device is, its results, and how it is then; each again while it is turned away."""
        await asyncio.sleep(wait)
        begun = time.perf_counter()
        asked = f"/offline/sync/?device={device.key}&offers=1&known=&language=en"
        results = [{"number": number, **one} for number, one in enumerate(device.made, 1)]
        body = json.dumps({"device": device.key, "sent_at": device.made[0]["sent_at"], "results": results})
        for path, content in ((asked, ""), ("/offline/results/?language=en", body), (asked, "")):
            while (status := await self._ask(device.person, path, content)) in (0, 429, 503):
                self.turned_away += 1
                if time.perf_counter() > begun + _DEADLINE:
                    raise RuntimeError("a device could not deliver its results")
                await asyncio.sleep(_AGAIN)
            if status != 200:
                raise RuntimeError(f"a device was answered with {status} at {path}")
        self.costs.append(time.perf_counter() - begun)

    async def _ask(self, person: str, path: str, body: str = "") -> int:
        head = f"{'POST' if body else 'GET'} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
        head += f"Cookie: sessionid={self.sessions[person]}; csrftoken={_TOKEN}\r\nX-CSRFToken: {_TOKEN}\r\n"
        head += "Accept: application/json\r\n" if path.startswith("/offline/") else ""
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n" if body else ""
        try:
            return await ask(self.port, f"{head}\r\n{body}".encode())
        except (OSError, TimeoutError):
            return 0
