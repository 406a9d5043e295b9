"""The site's error pages. They read neither session nor user, so that they need no database."""

from __future__ import annotations

import sys

from django.db import Error
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from pages.sqlstates import http_status
from pages.trouble import is_timeout, is_trouble, sqlstate

# The statuses that have a page.
STATUSES = frozenset({400, 403, 404, 405, 500, 503})
LONGEST = 500  # characters of a sentence


def unavailable(request: HttpRequest) -> HttpResponse:
    """Return the page for a database that is unavailable."""
    response = _render_without_context("503.html", request, 503)
    response.headers["Retry-After"] = "5"
    return response


def slow(request: HttpRequest) -> HttpResponse:
    """Return the page for a query that took too long."""
    return _render_without_context("slow.html", request, 503)


def of_error(request: HttpRequest, error: BaseException) -> HttpResponse | None:
    """Return the page for an error of the database or of the kernel; None for any other, and for a defect.

    The errors of `flows`, which this app does not import, have their `status`.
    """
    if is_timeout(error):
        return slow(request)
    if is_trouble(error):
        return unavailable(request)
    status = http_status(sqlstate(error)) if isinstance(error, Error) else getattr(error, "status", None)
    if status in (403, 404):
        return (forbidden if status == 403 else not_found)(request, error)
    return refused(request, error, status) if status in (409, 422) else None


def refused(request: HttpRequest, error: BaseException, status: int) -> HttpResponse:
    """Return the page for what the database refuses; only sentences of the kernel are shown."""
    context = {"request": request, "sentence": getattr(error, "sentence", "")}
    return HttpResponse(render_to_string("refused.html", context), status=status)


def _render_without_context(template: str, request: HttpRequest, status: int) -> HttpResponse:
    """Render a page that needs no context except the request, for its theme."""
    return HttpResponse(render_to_string(template, {"request": request}), status=status)


def not_found(request: HttpRequest, exception: BaseException) -> HttpResponse:
    """Return the page of the site's handler404."""
    return _render_without_context("404.html", request, 404)


def forbidden(request: HttpRequest, exception: BaseException) -> HttpResponse:
    """Return the page of the site's handler403, with the sentence of the exception, if it has one."""
    context = {"request": request, "exception": str(exception)}
    return HttpResponse(render_to_string("403.html", context), status=403)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Return the page for a form without a valid CSRF token."""
    return _render_without_context("403_csrf.html", request, 403)


def of_status(request: HttpRequest, status: int, sentence: str = "") -> HttpResponse:
    """Return the page for one of STATUSES, with the sentence of a view that had no page for it."""
    context = {"request": request, "exception": sentence.strip()[:LONGEST], "opened": request.method == "GET"}
    return HttpResponse(render_to_string(f"{status}.html", context), status=status)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the page of the site's handler400."""
    return _render_without_context("400.html", request, 400)


def server_error(request: HttpRequest) -> HttpResponse:
    """Return the page of the site's handler500; an error of the database gets the page of its status."""
    error = sys.exc_info()[1]
    found = of_error(request, error) if error is not None else None
    return found or _render_without_context("500.html", request, 500)
