"""Clients that load a web process: many in parallel, slow ones, and ones that leave before the answer."""

from __future__ import annotations

import asyncio
import contextlib
import os
import urllib.request
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

COOKIE = "Cookie: sessionid=" + "a" * 32 + "\r\n"
# One path for each kind of live connection; the last does not exist.
SOCKETS = ("/ws/", "/ws/flows/nothing/", "/ws/instances/1/", "/ws/nowhere")
_ANSWER_SECONDS = 60.0


def request_text(path: str, method: str = "GET", headers: str = COOKIE, body: str = "") -> bytes:
    """Return a request that closes its connection, with a session that never existed."""
    lines = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n{headers}"
    if body:
        lines += f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n"
    return f"{lines}\r\n{body}".encode()


async def ask(port: int, request: bytes) -> int:
    """Return the status of the answer; 0 when the connection was closed without one."""
    async with asyncio.timeout(_ANSWER_SECONDS):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        line = b""
        with contextlib.closing(writer), contextlib.suppress(ConnectionError):
            writer.write(request)
            line = await reader.readline()
            await reader.read()
    return int(line.split()[1]) if line else 0


async def send_and_abort(port: int, request: bytes, seconds: float) -> None:
    """Send the request and close the connection without waiting for the answer."""
    _reader, writer = await asyncio.open_connection("127.0.0.1", port)
    with contextlib.suppress(ConnectionError):
        writer.write(request)
        await writer.drain()
        await asyncio.sleep(seconds)
    writer.transport.abort()


def fetch(port: int, path: str) -> str:
    """Return the body of an answer with status 200."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=_ANSWER_SECONDS) as answer:
        return str(answer.read().decode())


def in_parallel(port: int, requests: Iterable[bytes], at_once: int = 60) -> list[int]:
    """Send all requests, at most `at_once` at a time; return their statuses."""

    async def run_all() -> list[int]:
        slots = asyncio.Semaphore(at_once)

        async def one(request: bytes) -> int:
            async with slots:
                return await ask(port, request)

        return await asyncio.gather(*(one(request) for request in requests))

    return asyncio.run(run_all())


def send_and_cancel(port: int, requests: Iterable[bytes]) -> None:
    """Send each request and abort it after some milliseconds."""

    async def run_all() -> None:
        await asyncio.gather(*(send_and_abort(port, r, (i % 20) / 200) for i, r in enumerate(requests)))

    asyncio.run(run_all())


@dataclass(frozen=True)
class ProcessResources:
    """The resources of a process, read from /proc."""

    threads: int
    files: int
    memory_kb: int

    @classmethod
    def of(cls, pid: int) -> ProcessResources:
        proc = Path(f"/proc/{pid}")
        fields = dict(
            line.split(":", 1) for line in (proc / "status").read_text().splitlines() if ":" in line
        )
        return cls(int(fields["Threads"]), len(os.listdir(proc / "fd")), int(fields["VmRSS"].split()[0]))


def handshake(port: int, path: str) -> bytes:
    """Return the request that opens a WebSocket, with a session that never existed."""
    upgrade = (
        "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    )
    headers = f"{COOKIE}Origin: http://127.0.0.1:{port}\r\n{upgrade}"
    request = request_text(path, headers=headers).replace(b"Connection: close", b"Connection: Upgrade")
    return request.replace(b"Host: 127.0.0.1\r\n", f"Host: 127.0.0.1:{port}\r\n".encode())


def send_slowly(port: int, requests: Iterable[bytes]) -> None:
    """Send each request in ten pieces, and abort it before its end."""

    async def one(request: bytes) -> None:
        _reader, writer = await asyncio.open_connection("127.0.0.1", port)
        size = max(1, len(request) // 11)
        with contextlib.suppress(ConnectionError):
            for start in range(0, size * 10, size):
                writer.write(request[start : start + size])
                await writer.drain()
                await asyncio.sleep(0.05)
        writer.transport.abort()

    async def run_all() -> None:
        await asyncio.gather(*(one(request) for request in requests))

    asyncio.run(run_all())


def send_acknowledgements(port: int, session: str, connections: int, messages: int = 400_000) -> list[bool]:
    """Send unsolicited acknowledgements; return per line whether it was closed before all were sent."""

    async def one() -> bool:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        async with asyncio.timeout(_ANSWER_SECONDS):
            writer.write(handshake(port, "/ws/").replace(b"a" * 32, session.encode()))
            await reader.readuntil(b'{"op":"hello"}')
            try:
                for _ in range(messages // 100):
                    writer.write(_frame(b'{"op":"ack","n":1}') * 100)
                    await writer.drain()
            except ConnectionError:
                return True
        writer.transport.abort()
        return False

    async def run_all() -> list[bool]:
        return await asyncio.gather(*(one() for _ in range(connections)))

    return asyncio.run(run_all())


def _frame(text: bytes) -> bytes:
    """Return a masked text frame, with a mask of zeros."""
    return bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text
