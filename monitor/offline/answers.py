"""How the site answers the client: in the language of its page, with problems that it can show."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import override

from flows.errors import WedError
from monitor.offline.exchange import problem_of


def in_language_of_client(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Answer in the language of the client's page, which may be another one than that of the session."""

    @wraps(view)
    def answered(request: HttpRequest, **given: Any) -> HttpResponse:
        language = request.GET.get("language", "")
        if language not in dict(settings.LANGUAGES):
            return view(request, **given)
        with override(language):
            return view(request, **given)

    return answered


def refusing(error: WedError) -> JsonResponse:
    """Return the answer that a request was refused, and why."""
    return JsonResponse(problem_of(error), status=error.status)
