"""Two answers to the open web: what a page may load, and how often a log-in may be tried."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

Answer = Callable[[HttpRequest], HttpResponse]

POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


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
