"""The limit of open connections per address, so that no client can take all of them.

A client that connects to this process directly is counted by its connections (slow_clients). Behind trusted
proxies every connection comes from a proxy, so requests and live connections are counted by the address that
the proxies report.
"""

from __future__ import annotations

import ipaddress
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

from django.conf import settings

from wedsql_site.web.client_address import is_proxy, of_scope
from wedsql_site.web.request_threads import PROBES, reject

Application = Callable[[Any, Any, Any], Awaitable[Any]]
log = logging.getLogger("wedsql.web")
REPORT_SECONDS = 60.0


def network(address: str) -> str:
    """Return the network that counts as one address: for IPv6 that of 64 bits, which one customer gets."""
    found = ipaddress.ip_address(address)
    mapped = getattr(found, "ipv4_mapped", None) or found
    return str(mapped) if mapped.version == 4 else str(ipaddress.ip_network((mapped, 64), strict=False))


class Counts:
    """The open connections of each address; `refused` counts those beyond the limit."""

    def __init__(self) -> None:
        self.refused = 0
        self._open: Counter[str] = Counter()
        self._reported = -REPORT_SECONDS

    def open(self, key: str) -> int:
        """Add one and return the number of open connections."""
        self._open[key] += 1
        return self._open[key]

    def close(self, key: str) -> None:
        """Subtract one."""
        self._open[key] -= 1
        if not self._open[key]:
            del self._open[key]

    def refuse(self, key: str) -> None:
        """Count a rejected connection; at most one per minute is logged."""
        self.refused += 1
        if time.monotonic() - self._reported >= REPORT_SECONDS:
            self._reported = time.monotonic()
            limit = settings.CONNECTIONS_PER_ADDRESS
            log.warning("%s has %d connections open; further ones are refused", key, limit)


counts = Counts()


def exceeds(number: int) -> bool:
    """Return whether this is too many connections for one address; the limit 0 is none."""
    return 0 < settings.CONNECTIONS_PER_ADDRESS < number


class PerAddress:
    """ASGI middleware that limits the open requests of clients behind trusted proxies."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        key = "" if scope.get("path") in PROBES else _proxied(scope)
        if not key:
            await self.application(scope, receive, send)
            return
        try:
            if exceeds(counts.open(key)):
                counts.refuse(key)
                await _refuse(scope, send)
            else:
                await self.application(scope, receive, send)
        finally:
            counts.close(key)


def _proxied(scope: Any) -> str:
    """Return the client's network if a trusted proxy reports it; '' if its connection itself is counted."""
    peer = (scope.get("client") or [""])[0]
    if not is_proxy(peer):
        return ""
    found = of_scope(scope)
    return network(found) if found and found != peer else ""


async def _refuse(scope: Any, send: Any) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close"})
    else:
        await reject(send, b"Too many connections are open from your address; try again.\n")
