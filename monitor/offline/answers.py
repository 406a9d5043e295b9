"""How the site answers the client: in the language of its page, with problems that it can show."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
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


def is_of_another(request: HttpRequest, user: object) -> bool:
    """Return whether the client sends for a user who is no longer the one that is logged in."""
    return user is not None and user != str(request.user.pk)


def of_another() -> HttpResponse:
    """Return the answer to what was sent for another user: as without a log-in."""
    return HttpResponse(
        _("Another person is logged in."), status=401, content_type="text/plain; charset=utf-8"
    )
