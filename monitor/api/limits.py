"""Limits per caller: requests per minute, and the size of a body."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest

from monitor.api.problems import Problem

SECONDS = 60
MOST_BODY = 1024 * 1024
MOST_KEYS = 10_000


@dataclass(frozen=True)
class Rate:
    """What is left of a caller's requests in this minute; `reset` is in seconds."""

    limit: int
    remaining: int
    reset: int

    def headers(self) -> dict[str, str]:
        """Return the headers of a response, those of the IETF's draft for rate limits."""
        return {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(max(self.remaining, 0)),
            "RateLimit-Reset": str(self.reset),
        }


class Window:
    """Counts requests by caller in whole minutes, in this process; forgets the callers of earlier ones."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._minute = 0
        self._used: dict[str, int] = {}

    def use(self, key: str, limit: int, now: float | None = None) -> Rate:
        """Count one request of a caller."""
        at = time.time() if now is None else now
        with self._lock:
            if self._minute != int(at // SECONDS) or len(self._used) >= MOST_KEYS:
                self._minute, self._used = int(at // SECONDS), {}
            used = self._used[key] = self._used.get(key, 0) + 1
        return Rate(limit, limit - used, SECONDS - int(at % SECONDS))


_window = Window()


def use(key: str) -> Rate:
    """Count one request of a caller. Raises Problem if there were too many in this minute."""
    rate = _window.use(key, settings.API_REQUESTS_PER_MINUTE)
    if rate.remaining < 0:
        headers = {name.replace("-", "_"): value for name, value in rate.headers().items()}
        raise Problem(
            429,
            f"More than {rate.limit} requests in a minute.",
            f"Continue in {rate.reset} seconds.",
            Retry_After=str(rate.reset),
            **headers,
        )
    return rate


def check_body(request: HttpRequest, most: int = MOST_BODY) -> None:
    """Raise Problem for a body that is too large, before it is parsed."""
    given = request.META.get("CONTENT_LENGTH") or "0"
    if not given.isascii() or not given.isdigit() or int(given[:12]) > most or len(request.body) > most:
        raise Problem(413, f"The body has more than {most} bytes.", "Send less at once.")
