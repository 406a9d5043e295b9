"""The client address of a request, as far as trusted proxies report it."""

from __future__ import annotations

import ipaddress
from functools import cache
from typing import Any, TypeAlias

from django.conf import settings
from django.http import HttpRequest

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network


def counted_address(request: HttpRequest) -> str | None:
    """Return the address under which attempts are counted; None over a Unix socket."""
    return client_address(request) or None


def client_address(request: HttpRequest) -> str:
    """Return the address of the client, '' if it has none."""
    return of_chain(request.META.get("REMOTE_ADDR", ""), request.META.get("HTTP_X_FORWARDED_FOR", ""))


def of_scope(scope: Any) -> str:
    """Return the address of the client of an ASGI connection, '' if it has none."""
    peer = (scope.get("client") or [""])[0]
    lines = [value.decode("latin1") for name, value in scope["headers"] if name == b"x-forwarded-for"]
    return of_chain(peer, ",".join(lines))


def of_chain(peer: str, forwarded: str) -> str:
    """Return the client of a request that came from `peer` with this X-Forwarded-For.

    Each proxy appends the address of its peer. Entries left of those of trusted proxies come from the
    client and are ignored.
    """
    peer = _address(peer)
    chain = [*(_address(part) for part in forwarded.split(",")), peer]
    trusted = settings.WEDSQL_TRUSTED_PROXIES
    if isinstance(trusted, int):
        return chain[-1 - trusted] if trusted < len(chain) and chain[-1 - trusted] else peer
    found = peer
    while chain and chain[-1] and _is_in(chain[-1], trusted):
        chain.pop()
        found = (chain[-1] if chain else "") or found
    return found


def is_proxy(peer: str) -> bool:
    """Return whether this address is that of a trusted proxy; a Unix socket is."""
    address = _address(peer)
    trusted = settings.WEDSQL_TRUSTED_PROXIES
    return bool(trusted) and (isinstance(trusted, int) or not address or _is_in(address, trusted))


def _address(text: str) -> str:
    """Return the address in canonical form without port and zone; '' if invalid."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        found = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return ""
    mapped = getattr(found, "ipv4_mapped", None)
    return str(mapped or found)


def _is_in(address: str, networks: tuple[str, ...]) -> bool:
    ip = ipaddress.ip_address(address)
    return any(ip in network for network in _networks(networks))


@cache
def _networks(names: tuple[str, ...]) -> list[Network]:
    return [ipaddress.ip_network(name) for name in names]
