"""The OpenAPI document of the API, and a page that shows it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from monitor.api.examples import BODIES, PARAMETERS
from monitor.api.problems import MEDIA_TYPE, TITLES, ProblemOut
from monitor.api.site import api
from pages.guard import page

PREFIX = "/api/v1/"
ABOUT = """Reads and operates what the pages of the monitor show. Send “Authorization: Bearer TOKEN”; a
browser's session works, too, with the CSRF token in the header X-CSRFToken for changes. Lists are chosen by
the filter language of the pages (q) and paged by cursor. Errors are problem documents (RFC 9457)."""
SECURITY = {
    "token": {"type": "http", "scheme": "bearer", "description": "A token of the page Tokens."},
    "session": {"type": "apiKey", "in": "cookie", "name": "sessionid"},
}
# The errors of every endpoint, those of endpoints about something that exists, and those that take a body.
ALWAYS, FOUND, SENT = (401, 429, 503), (403, 404), (400, 409, 413, 422)


@require_safe
def openapi(request: HttpRequest) -> HttpResponse:
    """Return the document; it has nothing of the installation, so it needs no log-in."""
    response = JsonResponse(document())
    response.headers["Cache-Control"] = "public, max-age=300"
    return response


@require_safe
@page
def page_of_endpoints(request: HttpRequest) -> HttpResponse:
    """Show every endpoint with its parameters and an example."""
    return render(request, "monitor/api.html", {"endpoints": list(endpoints()), "about": ABOUT})


@cache
def document() -> dict[str, Any]:
    """Return the document with descriptions of errors, authentication and examples."""
    made: dict[str, Any] = dict(api.get_openapi_schema(path_prefix=PREFIX))
    made["info"] = made["info"] | {"description": " ".join(ABOUT.split())}
    made["components"]["schemas"]["Problem"] = ProblemOut.model_json_schema()
    made["components"]["securitySchemes"] = SECURITY
    made["security"] = [{name: []} for name in SECURITY]
    for path, methods in made["paths"].items():
        for method, operation in methods.items():
            _complete(path, method, operation)
    return made


def _complete(path: str, method: str, operation: dict[str, Any]) -> None:
    """Add examples and errors to one operation."""
    for parameter in operation.get("parameters", ()):
        if parameter["name"] in PARAMETERS:
            parameter["example"] = PARAMETERS[parameter["name"]]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if body:
        name = body["schema"]["$ref"].rpartition("/")[2]
        if name not in BODIES:
            raise KeyError(f"{name} has no example: add one to BODIES of monitor/api/examples.py")
        body["example"] = BODIES[name]
    named = "{" in path or any(each["name"] == "flow" for each in operation.get("parameters", ()))
    of_device = "/offline/" in path  # one that was reported lost, or a task that is not locked
    found = FOUND if named or of_device or method != "get" else ()
    for status in (*ALWAYS, *found, *(SENT if method != "get" else (409, 422) if of_device else (422,))):
        schema = {"schema": {"$ref": "#/components/schemas/Problem"}}
        operation["responses"][status] = {"description": TITLES[status], "content": {MEDIA_TYPE: schema}}


def endpoints() -> Iterator[dict[str, Any]]:
    """Yield each operation of the document with its address and method."""
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            yield operation | {"path": path, "method": method.upper(), "example": _text(body.get("example"))}


def _text(example: Any) -> str:
    return json.dumps(example, indent=2, ensure_ascii=False) if example else ""
