"""Errors of the API as problem documents (RFC 9457), with SQLSTATE, place and hint of the kernel's errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import DataError, Error, ProgrammingError
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI, Schema
from ninja.errors import HttpError, ValidationError

from flows import json_text
from flows.database_errors import error_for
from flows.errors import WedError
from pages.guard import REDESIGNED, is_timeout
from pages.sqlstates import http_status
from pages.trouble import is_trouble, sqlstate

MEDIA_TYPE = "application/problem+json"
TITLES = {
    400: "The request is not valid.",
    401: "Authentication is required.",
    403: "You may not do this.",
    404: "There is no such resource.",
    405: "The method is not allowed.",
    409: "The state does not permit this.",
    413: "The body is too large.",
    422: "The input is not valid.",
    429: "There were too many requests.",
    500: "The server has failed; its log says why.",
    503: "The database cannot answer now.",
}


class ProblemOut(Schema):
    """What went wrong; `code` is the SQLSTATE, `where` has the facts of an error of the kernel.

    422 has no code where the input is not as the document says, and one where the flow does not accept it.
    """

    type: str
    title: str
    status: int
    detail: str
    hint: str = ""
    code: str = ""
    where: dict[str, Any] = {}


class Problem(Exception):
    """An error of the API itself."""

    def __init__(
        self, status: int, detail: str = "", hint: str = "", *, code: str = "", **headers: str
    ) -> None:
        """Store the parts of the document; headers are written with _ for -."""
        super().__init__(detail)
        self.status, self.detail, self.hint = status, detail or TITLES[status], hint
        self.code = code
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def response(status: int, detail: str, hint: str = "", code: str = "", **where: Any) -> HttpResponse:
    """Return a problem document."""
    title = TITLES.get(status, TITLES[400])
    found = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    found |= {"hint": hint, "code": code, "where": where}
    text = json_text.encode(found, str)
    return HttpResponse(text.encode("utf-8", "replace"), status=status, content_type=MEDIA_TYPE)


class Problems:
    """Middleware that answers errors from outside of the endpoints by a problem document, and HEAD like GET.

    They are addresses that do not exist, methods that are not allowed, and errors of the server.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path_info.startswith("/api/v1/") or request.path_info.startswith("/api/v1/docs/"):
            return self.get_response(request)
        if request.method != "HEAD":
            return _as_problem(self.get_response(request))
        request.method = "GET"  # endpoints know GET only
        found = _as_problem(self.get_response(request))
        request.method = "HEAD"
        return _without_body(found)


def _as_problem(found: HttpResponse) -> HttpResponse:
    """Return a problem document for an error that is none yet, else the response itself."""
    if found.status_code < 400 or found.headers.get("Content-Type") == MEDIA_TYPE:
        return found
    made = response(found.status_code, TITLES.get(found.status_code, TITLES[400]))
    for name in ("Allow", "Retry-After"):
        if name in found.headers:
            made.headers[name] = found.headers[name]
    if found.headers.get("Allow", "").split(", ").count("GET"):
        made.headers["Allow"] += ", HEAD"
    return made


def _without_body(found: HttpResponse) -> HttpResponse:
    """Return the response to HEAD: with the headers of GET, and its length; a stream has none and ends."""
    if found.streaming:
        return HttpResponse(headers=found.headers)
    found.headers["Content-Length"] = str(len(found.content))
    found.content = b""
    return found


def install(api: NinjaAPI) -> None:
    """Let the API answer every error with a problem document."""
    api.add_exception_handler(Problem, _problem)
    api.add_exception_handler(WedError, _refused)
    api.add_exception_handler(ValidationError, _invalid)
    api.add_exception_handler(HttpError, _http_error)
    api.add_exception_handler(Http404, lambda _request, _error: response(404, TITLES[404]))
    api.add_exception_handler(PermissionDenied, lambda _request, error: response(403, str(error)))
    api.add_exception_handler(Error, _database_error)
    api.add_exception_handler(RecursionError, _nested)


def _problem(_request: HttpRequest, error: Any) -> HttpResponse:
    found = response(error.status, error.detail, error.hint, error.code)
    for name, value in error.headers.items():
        found.headers[name] = value
    return found


def _refused(_request: HttpRequest, error: Any) -> HttpResponse:
    status = error.status
    if status == 500:
        raise error  # the log has it
    found = response(status, error.message, error.hint, error.code, **error.where)
    if status == 503:
        found.headers["Retry-After"] = "1"
    return found


def _invalid(_request: HttpRequest, error: Any) -> HttpResponse:
    first = error.errors[0]
    place = ".".join(map(str, _place(first)))
    fields = [{"place": _place(each), "message": each["msg"]} for each in error.errors[:20]]
    return response(
        422, f"{place}: {first['msg']}.", "Correct the input as the document says.", fields=fields
    )


def _place(error: Any) -> list[Any]:
    """Return the place of an error without the name that the code has for the body or the query."""
    first, *rest = error["loc"]
    return [first, *(rest[1:] if rest[:1] == ["given"] else rest)]


def _http_error(_request: HttpRequest, error: Any) -> HttpResponse:
    if error.status_code == 400:
        return response(400, "The body is not JSON, or it is nested too deeply.", "Send a JSON object.")
    return response(error.status_code, error.message)


def _nested(request: HttpRequest, _error: Any) -> HttpResponse:
    status = 409 if request.method == "GET" else 422
    return response(status, "A value is nested too deeply.", "Use a value with fewer levels.", "54001")


def _database_error(_request: HttpRequest, error: Any) -> HttpResponse:
    """Answer an error of a query: too slow, unavailable, a value that PostgreSQL rejects, or a bug."""
    code = sqlstate(error)
    if is_timeout(error):
        found = response(503, "The query took too long.", "Narrow the filter, or name one flow.", code)
    elif is_trouble(error):
        found = response(503, TITLES[503], "Try again.", code)
    elif isinstance(error, DataError) or http_status(code) in (409, 422):
        return _refused(_request, error_for(code, str(error).partition("\n")[0]))
    elif isinstance(error, ProgrammingError) and code in REDESIGNED:
        found = response(503, "The definition changed during the request.", "Try again.", code)
        found.headers["Retry-After"] = "1"
        return found
    else:
        raise error
    found.headers["Retry-After"] = "5"
    return found
