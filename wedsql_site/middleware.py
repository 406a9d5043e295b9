"""What stands before every page: its line in the log, what it may load, how often a log-in may be tried."""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

log = logging.getLogger("wedsql.web")
Answer = Callable[[HttpRequest], HttpResponse]

POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


class RequestLog:
    """One line for each answer, with the flow and the instance that were asked for.

    The query stays out of it: filters are values of states. What machines and live pages ask every few
    seconds is told only when it fails.
    """

    OFTEN = ("/healthz", "/readyz", "/metrics", "/live/", "/static/")

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        begun = time.perf_counter()
        response = self.get_response(request)
        level = logging.DEBUG if request.path.startswith(self.OFTEN) else logging.INFO
        if response.status_code >= 500:
            level = logging.WARNING
        said = {
            "method": request.method,
            "path": quote(request.path),
            "status": response.status_code,
            "ms": round((time.perf_counter() - begun) * 1000, 1),
        }
        log.log(level, "%s %s: %d in %s ms", *said.values(), extra=said | _subject(request))
        return response


def _subject(request: HttpRequest) -> dict[str, object]:
    """The flow and the instance that the address of a page names."""
    match = request.resolver_match
    named = match.kwargs if match is not None and match.namespace == "monitor" else {}
    return {"flow": named.get("name"), "wid": named.get("wid")}


class RejectNul:
    """Answers 404 for an address with the character NUL: PostgreSQL has no text, and so no key, with it."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "\x00" in request.path_info:
            raise Http404
        return self.get_response(request)


class ContentSecurityPolicy:
    """Sends one strict policy with every response that has none of its own."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response


class LoginThrottle:
    """Lets one name be tried five times a minute from one address; a success forgets the failures."""

    ATTEMPTS = 5
    SECONDS = 60
    VIEWS = frozenset({"login", "admin:login"})

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if self._is_attempt(request) and response.status_code == 302:
            cache.delete(self._key(request))
        return response

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponse | None:
        """Counts before the password is looked at, so that parallel attempts count too."""
        if not self._is_attempt(request):
            return None
        key = self._key(request)
        cache.add(key, 0, self.SECONDS)
        if cache.incr(key) <= self.ATTEMPTS:
            return None
        response = render(request, "registration/throttled.html", {"seconds": self.SECONDS}, status=429)
        response.headers["Retry-After"] = str(self.SECONDS)
        return response

    def _is_attempt(self, request: HttpRequest) -> bool:
        match = request.resolver_match
        return request.method == "POST" and match is not None and match.view_name in self.VIEWS

    def _key(self, request: HttpRequest) -> str:
        who = f"{request.POST.get('username', '').strip().lower()}\0{request.META.get('REMOTE_ADDR', '')}"
        return f"login:{hashlib.sha256(who.encode()).hexdigest()}"
