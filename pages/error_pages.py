"""The site's error pages. None reads session or user, so that none needs the database."""

from __future__ import annotations

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string


def unavailable(request: HttpRequest) -> HttpResponse:
    """Answer that the database is away."""
    response = _alone("503.html", request, 503)
    response.headers["Retry-After"] = "5"
    return response


def slow(request: HttpRequest) -> HttpResponse:
    """Answer that a query took too long."""
    return _alone("slow.html", request, 503)


def _alone(template: str, request: HttpRequest, status: int) -> HttpResponse:
    """A page in the reader's theme that knows neither who reads it nor how to take a form back."""
    return HttpResponse(render_to_string(template, {"request": request}), status=status)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The site's handler404."""
    return _alone("404.html", request, 404)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The site's handler403."""
    return _alone("403.html", request, 403)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form that came without its key."""
    return _alone("403_csrf.html", request, 403)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The site's handler400."""
    return _alone("400.html", request, 400)


def server_error(request: HttpRequest) -> HttpResponse:
    """The site's handler500: a database that went away is not a fault of the program."""
    error = sys.exc_info()[1]
    if isinstance(error, OperationalError | InterfaceError):
        return unavailable(request)
    return _alone("500.html", request, 500)
