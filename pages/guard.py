"""The guard of every page: requires a log-in, and answers when the database is unavailable or too slow."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from django.contrib.auth.views import redirect_to_login
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.functional import SimpleLazyObject

from pages import error_pages
from pages.trouble import is_timeout, sqlstate

View = Callable[..., HttpResponseBase]

__all__ = ["REDESIGNED", "is_timeout", "page"]

# Invalid schema, undefined table, undefined column, a column of another type, unknown flow.
REDESIGNED = frozenset({"3F000", "42P01", "42703", "42804", "WD001"})


def page(view: View) -> View:
    """Require a log-in for a view, and answer an error of the database by its status instead of 500."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            request.user = _read(request.user)
            if not request.user.is_authenticated:
                return _sign_in(request)
            return _call_with_retry(view, request, *args, **kwargs)
        except Exception as error:
            found = error_pages.of_error(request, error)
            if found is None:
                raise
            return found

    return guarded


def _read(user: Any) -> Any:
    """Return the user of a request itself: each attribute of the object for it costs several calls."""
    if type(user) is not SimpleLazyObject:
        return user
    user.pk  # noqa: B018 - which reads it
    return user._wrapped


def _call_with_retry(view: View, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
    """Call the view again if a flow was changed or dropped between two queries; then raise Http404."""
    try:
        return view(request, *args, **kwargs)
    except DatabaseError as error:
        if sqlstate(error) not in REDESIGNED:
            raise
    try:
        return view(request, *args, **kwargs)
    except DatabaseError as error:
        if sqlstate(error) not in REDESIGNED:
            raise
        raise Http404 from error


def _sign_in(request: HttpRequest) -> HttpResponse:
    # A script that fetches a part of a page must get a status for an ended session, not the log-in page.
    if request.headers.get("Accept", "").startswith("application/json"):
        return HttpResponse(status=401)
    return redirect_to_login(_page_before(request))


def _page_before(request: HttpRequest) -> str:
    """Return the page to open after the log-in: a sent form is lost, so the page that had it."""
    before = urlsplit(request.headers.get("Referer", ""))
    if request.method in ("GET", "HEAD") or before.netloc != request.get_host():
        return request.get_full_path()
    return f"{before.path}?{before.query}" if before.query else before.path
