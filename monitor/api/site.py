"""The API of the site, version 1: its endpoints, and the headers of every response."""

from __future__ import annotations

import hashlib
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_vary_headers
from ninja import NinjaAPI

from monitor.api import (  # noqa: F401 - most only add endpoints
    events,
    graphs,
    locks,
    operations,
    problems,
    reads,
    views,
)
from monitor.api.responses import ExactParser, Renderer
from monitor.api.routing import router
from monitor.approvals import endpoints as of_approvals  # noqa: F401 - it adds endpoints
from monitor.bulk import endpoints as of_bulk  # noqa: F401 - it adds endpoints
from monitor.cases import endpoints as of_cases  # noqa: F401 - it adds endpoints
from monitor.cases import file_endpoints as of_case_files  # noqa: F401 - it adds endpoints
from monitor.children import endpoints as of_children  # noqa: F401 - it adds endpoints
from monitor.figures import endpoints as of_figures  # noqa: F401 - it adds endpoints
from monitor.looks import endpoints as of_looks  # noqa: F401 - it adds endpoints
from monitor.moves import endpoints as of_moves  # noqa: F401 - it adds endpoints
from monitor.offline import endpoints as of_devices  # noqa: F401 - it adds endpoints
from monitor.recovery import endpoints as of_repairs  # noqa: F401 - it adds endpoints
from monitor.recovery import late_endpoints as of_late_results  # noqa: F401 - it adds endpoints
from monitor.signals import endpoints as of_signals  # noqa: F401 - it adds endpoints
from monitor.sla import endpoints as of_slas  # noqa: F401 - it adds endpoints
from monitor.tasks import endpoints as of_tasks  # noqa: F401 - it adds endpoints
from monitor.tasks import message_endpoints as of_messages  # noqa: F401 - it adds endpoints
from monitor.webhooks import endpoints as of_webhooks  # noqa: F401 - it adds endpoints

TITLE = "WED-SQL"


class Api(NinjaAPI):
    """Adds the limits of the caller to each response, and an entity tag to each that is read."""

    def create_response(
        self, request: HttpRequest, data: Any, *, status: int | None = None, temporal_response: Any = None
    ) -> HttpResponse:
        made = super().create_response(request, data, status=status, temporal_response=temporal_response)
        if request.method in ("GET", "HEAD") and made.status_code == 200:
            return _conditional(request, made)
        return made

    def on_exception(self, request: HttpRequest, exc: Any) -> HttpResponse:
        return _limited(request, super().on_exception(request, exc))

    def get_openapi_operation_id(self, operation: Any) -> str:
        return str(operation.view_func.__name__)

    def create_temporal_response(self, request: HttpRequest) -> HttpResponse:
        return _limited(request, super().create_temporal_response(request))


def _limited(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    rate = getattr(request, "api_rate", None)
    for name, value in (rate.headers() if rate else {}).items():
        response.headers.setdefault(name, value)
    return response


def _conditional(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Return 304 without a body if the client has this response already."""
    tag = f'"{hashlib.sha256(response.content).hexdigest()[:32]}"'
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ("Authorization", "Cookie", "Accept-Language"))
    found: HttpResponse = get_conditional_response(request, etag=tag, response=response)  # type: ignore[assignment]
    return _limited(request, found)


api = Api(
    title=TITLE,
    version="1",
    openapi_url=None,
    docs_url=None,
    urls_namespace="api",
    renderer=Renderer(),
    parser=ExactParser(),
)
problems.install(api)
api.add_router("", router)
