"""Lets a page open a live connection only to the site that it comes from: scheme, host and port agree.

The same rule as Django's for forms, with its settings; channels compares names of hosts only.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from channels.security.websocket import WebsocketDenier
from django.conf import settings

Application = Callable[[Any, Any, Any], Awaitable[Any]]
_PORTS = {"http": 80, "https": 443}


class SameOrigin:
    """ASGI middleware that closes live connections from pages of another origin."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        headers = {name: value.decode("latin1") for name, value in scope["headers"]}
        same = is_same(headers.get(b"origin", ""), headers.get(b"host", ""))
        await (self.application if same else WebsocketDenier())(scope, receive, send)


def is_same(origin: str, host: str) -> bool:
    """Return whether the origin is the site under this host, or one that settings trust."""
    if origin in settings.CSRF_TRUSTED_ORIGINS:
        return True
    try:
        page = urlsplit(origin)
        site = urlsplit(f"{page.scheme}://{host}")
        default = _PORTS[page.scheme]
        return (page.hostname, page.port or default) == (site.hostname, site.port or default)
    except (KeyError, ValueError):
        return False
