"""Middleware of every page: request log, security and cache headers, compression, probes."""

from __future__ import annotations

import html
import logging
import time
from collections.abc import Callable
from urllib.parse import quote

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils.translation import override

from flows.messages import page_words
from flows.replication import UNCONFIRMED, unconfirmed
from pages.error_pages import STATUSES, of_status

log = logging.getLogger("wedsql.web")
Answer = Callable[[HttpRequest], HttpResponse]

POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


class RequestLog:
    """Logs one line for each response, with the flow and the instance of the request.

    Query strings are left out, because filters have values of states. Requests that monitoring systems and
    live pages repeat every few seconds are logged at DEBUG unless they fail.
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
        fields = {
            "method": request.method,
            "path": quote(request.path),
            "status": response.status_code,
            "ms": round((time.perf_counter() - begun) * 1000, 1),
        }
        log.log(level, "%s %s: %d in %s ms", *fields.values(), extra=fields | _subject(request))
        return response


def _subject(request: HttpRequest) -> dict[str, object]:
    """Return the flow and the instance in the URL of a page."""
    match = request.resolver_match
    named = match.kwargs if match is not None and match.namespace == "monitor" else {}
    return {"flow": named.get("name"), "wid": named.get("wid")}


class PageWords:
    """Shows messages of the kernel in the words of pages; the HTTP API has those of programs."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path.startswith("/api/"):
            return self.get_response(request)
        with page_words():
            return self.get_response(request)


class UnconfirmedCommits:
    """Says that a change of the request was committed, but not confirmed by a standby.

    Pages show it as a message. Responses of the HTTP API have the header WedSQL-Warning.
    """

    HEADER = "WedSQL-Warning"

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with unconfirmed() as found:
            response = self.get_response(request)
        if found and request.path.startswith("/api/"):
            with override("en"):
                response.headers[self.HEADER] = str(UNCONFIRMED)
        elif found:
            messages.warning(request, UNCONFIRMED)
        return response


class RejectNul:
    """Answers 404 for a path with the character NUL, which no text in PostgreSQL can contain."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "\x00" in request.path_info:
            raise Http404
        return self.get_response(request)


class ErrorPages:
    """Shows a page of the site instead of an error whose response is empty, or has one line of text.

    Scripts that ask for JSON, and programs of the HTTP API, get what the view has returned.
    """

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if not _is_bare(request, response):
            return response
        page = of_status(
            request, response.status_code, html.unescape(response.content.decode(errors="replace"))
        )
        page.cookies = response.cookies
        for name in ("Allow", "Retry-After"):
            if name in response.headers:
                page.headers[name] = response.headers[name]
        return page


def _is_bare(request: HttpRequest, response: HttpResponse) -> bool:
    """Return whether a response is an error without a page."""
    return (
        response.status_code in STATUSES
        and not response.streaming
        and not request.path.startswith("/api/")
        and b"<" not in response.content
        and _reads_pages(request, response.headers.get("Content-Type", "text/html"))
    )


def _reads_pages(request: HttpRequest, kind: str) -> bool:
    """Return whether the reader of a response of this type takes a page for it: a browser does."""
    accepted = request.headers.get("Accept", "")
    if kind.startswith("text/plain"):
        return "text/html" in accepted
    return kind.startswith("text/html") and not accepted.startswith("application/json")


class ContentSecurityPolicy:
    """Sends one strict policy with every response that has none."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response


class NoStore:
    """Forbids browsers and proxies to cache pages, as most are not visible to everyone."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "private, no-store")
        return response


def uncompressed(response: HttpResponse) -> HttpResponse:
    """Mark a page with a secret: its compressed length would confirm guesses in the URL."""
    response.shows_secret = True  # type: ignore[attr-defined]
    return response


class Compression(GZipMiddleware):
    """Compresses pages, except marked ones and what is sent in pieces.

    Events must not wait in a buffer. The pieces of a file would be compressed one by one, and a browser reads
    only the first one.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if response.streaming or getattr(response, "shows_secret", False):
            return response
        return super().process_response(request, response)


class Probes:
    """Answers monitoring systems before the host name is checked, whatever name they use."""

    def __init__(self, get_response: Answer) -> None:
        from monitor.views import probes

        self.get_response = get_response
        self.views: dict[str, Answer] = {
            "/healthz": probes.healthz,
            "/readyz": probes.readyz,
            "/metrics": probes.metrics_page,
        }

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.views.get(request.path_info, self.get_response)(request)
