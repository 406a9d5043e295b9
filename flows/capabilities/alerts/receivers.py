"""Sends a signed message to the address of a receiver, and to nothing inside the network of this machine.

The name of a receiver is resolved once, and the address that was checked is the one that is connected to:
resolving it again could give another one. No redirect is followed and no proxy used.
"""

from __future__ import annotations

import hashlib
import hmac
import http.client
import ipaddress
import socket
import ssl
import threading
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from flows.errors import BadAlert

TIMEOUT = 5.0
LIMIT = 10.0
MOST_READ = 2_048
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
# The Internet's addresses are those of 2000::/3 and 0.0.0.0 to 223.255.255.255, except the networks that the
# registries of special purposes keep (RFC 6890); Python's own list depends on its version.
_GLOBAL_IPV6 = ipaddress.ip_network("2000::/3")
_RESERVED = tuple(map(ipaddress.ip_network, (
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24",
    "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3",
    "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
)))  # fmt: skip


def gettext_noop(text: str) -> str:
    """Mark a text for translation; Django's own function needs settings, flows.api does not."""
    return text


# Why a message was not delivered, as stored with it, in English; pages translate it (flows.messages.stored).
NOT_READABLE = gettext_noop("The address of the receiver cannot be read.")
NO_HTTPS = gettext_noop("The address of a receiver begins with https://.")
NO_PLAIN_HOST = gettext_noop("The address of a receiver has a host, and neither name nor password.")
NO_ASCII = gettext_noop("The address of a receiver has no blanks and no letters outside of ASCII.")
INTERNAL = gettext_noop("The host of the receiver is inside the network of this machine.")
UNKNOWN_HOST = gettext_noop("The host of the receiver is not known.")
UNREACHABLE = gettext_noop("The receiver cannot be reached: {error}.")
NO_ANSWER = gettext_noop("The receiver gave no answer: {error}.")
ANSWERED = gettext_noop("The receiver answered {status}.")
SENTENCES = (
    NOT_READABLE, NO_HTTPS, NO_PLAIN_HOST, NO_ASCII, INTERNAL, UNKNOWN_HOST, UNREACHABLE, NO_ANSWER, ANSWERED,
)  # fmt: skip

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class NotTaken(Exception):
    """The receiver did not confirm the message."""


@dataclass(frozen=True)
class Allowed:
    """What addresses of webhooks may be besides https to the Internet."""

    http: bool = False
    internal: bool = False


def allowed() -> Allowed:
    """Return the receivers that the settings allow; without settings, no others."""
    names = ("WEDSQL_WEBHOOK_HTTP", "WEDSQL_WEBHOOK_INTERNAL")
    try:
        return Allowed(*(bool(getattr(settings, name, False)) for name in names))
    except ImproperlyConfigured:
        return Allowed()


def check_url(url: str, allowed: Allowed) -> SplitResult:
    """Return the parts of an address that may be used. Raises BadAlert."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise BadAlert(NOT_READABLE) from error
    if parts.scheme != "https" and not (allowed.http and parts.scheme == "http"):
        raise BadAlert(NO_HTTPS)
    if not parts.hostname or parts.username is not None or parts.password is not None or port == 0:
        raise BadAlert(NO_PLAIN_HOST)
    if not url.isascii() or any(each.isspace() or not each.isprintable() for each in url):
        raise BadAlert(NO_ASCII)
    if not allowed.internal and _names_internal(parts.hostname):
        raise BadAlert(INTERNAL)
    return parts


def _names_internal(host: str) -> bool:
    """Return whether a host is this machine or an internal address, without looking a name up."""
    if host.rstrip(".") == "localhost" or host.rstrip(".").endswith(".localhost"):
        return True
    try:
        return is_internal(ipaddress.ip_address(host))
    except ValueError:
        return False


def is_internal(address: Address) -> bool:
    """Return whether an address is not one of the Internet; also one that is inside of an IPv6 address."""
    if isinstance(address, ipaddress.IPv6Address):
        inside = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
        if address in _NAT64:
            inside.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
        if any(each is not None and is_internal(each) for each in inside):
            return True
        if address.ipv4_mapped or address in _NAT64:
            return False
        if address not in _GLOBAL_IPV6:
            return True
    return not address.is_global or any(address in network for network in _RESERVED)


def resolve(host: str, port: int, allowed: Allowed) -> str:
    """Return the address to connect to. Raises BadAlert if any address of the host is internal."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise NotTaken(UNKNOWN_HOST) from error
    addresses = [str(each[4][0]).partition("%")[0] for each in found]
    if not allowed.internal and any(is_internal(ipaddress.ip_address(each)) for each in addresses):
        raise BadAlert(INTERNAL)
    return addresses[0]


def signature(secret: str, moment: int, body: bytes) -> str:
    """Return the header by which a receiver checks who sent a message, and when."""
    signed = hmac.new(secret.encode(), f"{moment}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={moment},v1={signed}"


def post(
    url: str,
    body: bytes,
    headers: dict[str, str],
    allowed: Allowed,
    *,
    limit: float = LIMIT,
    most: int = MOST_READ,
) -> bytes:
    """Send a message and return the first `most` bytes of the answer.

    Raises BadAlert, or NotTaken unless the answer is 2xx within `limit` seconds.
    """
    parts = check_url(url, allowed)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    address = resolve(host, port, allowed)
    try:
        plain = socket.create_connection((address, port), TIMEOUT)
    except OSError as error:
        raise NotTaken(UNREACHABLE.format(error=type(error).__name__)) from error
    # The limit covers TLS too: each byte of a handshake may come in time, but not all.
    watched = plain.dup()
    end = threading.Timer(limit, _abort, [watched])
    end.daemon = True
    end.start()
    try:
        status, answer = _answer(_connection(parts, host, port, plain), parts, body, headers, most)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise NotTaken(NO_ANSWER.format(error=type(error).__name__)) from error
    finally:
        end.cancel()
        watched.close()
        plain.close()
    if not 200 <= status < 300:
        raise NotTaken(ANSWERED.format(status=status))
    return answer


def _connection(parts: SplitResult, host: str, port: int, plain: socket.socket) -> http.client.HTTPConnection:
    """Return a connection over an open socket, which names the host in TLS and in its request."""
    made = http.client.HTTPConnection(host, port)
    made.auto_open = 0  # it would resolve the name again
    made.sock = plain
    if parts.scheme == "https":
        made.sock = ssl.create_default_context().wrap_socket(plain, server_hostname=host)
        made.default_port = 443
    return made


def _answer(
    connection: http.client.HTTPConnection,
    parts: SplitResult,
    body: bytes,
    headers: dict[str, str],
    most: int,
) -> tuple[int, bytes]:
    """Send the message over the connection and return the status and the beginning of the answer."""
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        connection.request("POST", path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read(most)
    finally:
        connection.close()


def _abort(connected: socket.socket) -> None:
    """End a connection whose receiver answers too slowly."""
    with suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)
