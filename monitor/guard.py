"""What stands before every page: a log-in, the right to see the flow, a word when the database is away."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.db import Error, InterfaceError, OperationalError, ProgrammingError
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string

from flows.queries.base import sqlstate
from flows.queries.definitions import Flow, flow_by_id, flow_by_name
from flows.queries.instances import Instance, instance
from monitor.permissions import can_view

View = Callable[..., HttpResponse]

QUERY_CANCELED = "57014"
# A schema, a table or a column that is there no more.
REDESIGNED = frozenset({"3F000", "42P01", "42703"})


def page(view: View) -> View:
    """Lets in who is logged in, and answers 503 instead of 500 when the database cannot be asked."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            if not request.user.is_authenticated:
                return _sign_in(request)
            return _twice(view, request, *args, **kwargs)
        except (OperationalError, InterfaceError) as error:
            return slow(request) if is_timeout(error) else unavailable(request)

    return guarded


def _twice(view: View, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
    """A flow may be redesigned or dropped between two queries of a page: what it is now is read again."""
    try:
        return view(request, *args, **kwargs)
    except ProgrammingError as error:
        if sqlstate(error) not in REDESIGNED:
            raise
    try:
        return view(request, *args, **kwargs)
    except ProgrammingError as error:
        raise Http404 from error


def _sign_in(request: HttpRequest) -> HttpResponse:
    # A script that fetches a part of a page must see that the session ended, not the log-in page.
    if request.headers.get("Accept", "").startswith("application/json"):
        return HttpResponse(status=401)
    return redirect_to_login(request.get_full_path())


def flow_or_404(request: HttpRequest, name: str) -> Flow:
    """The flow, if it exists and the person may see it."""
    flow = flow_by_name(name) if can_view(request.user, name) else None
    if flow is None:
        raise Http404
    return flow


def instance_or_404(request: HttpRequest, wid: int) -> tuple[Instance, Flow]:
    """The instance and its flow, if it exists and the person may see it."""
    found = instance(wid)
    flow = flow_by_id(found.flow_id) if found and can_view(request.user, found.flow) else None
    if found is None or flow is None:
        raise Http404
    return found, flow


def is_timeout(error: Error) -> bool:
    """Whether PostgreSQL gave the query up because it took too long."""
    return sqlstate(error) == QUERY_CANCELED


def unavailable(request: HttpRequest) -> HttpResponse:
    """The page that says that the database is away; it asks nobody anything."""
    response = _alone("503.html", request, 503)
    response.headers["Retry-After"] = "5"
    return response


def slow(request: HttpRequest) -> HttpResponse:
    """The page that says that this question took too long."""
    return _alone("monitor/slow.html", request, 503)


def _alone(template: str, request: HttpRequest, status: int) -> HttpResponse:
    """A page in the reader's theme that knows neither who reads it nor how to take a form back."""
    return HttpResponse(render_to_string(template, {"request": request}), status=status)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The site's handler404. No error page reads session or user, so none needs the database."""
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
