"""The style page, which shows every component in both themes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from pages import labels

_AT = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


@require_safe
def styleguide(request: HttpRequest) -> HttpResponse:
    """Show every component with fixed content; 404 unless settings.STYLEGUIDE is on, as in development."""
    if not settings.STYLEGUIDE:
        raise Http404
    context = {
        "themes": ("light", "dark"),
        "statuses": labels.STATUS,
        "types": labels.TYPE,
        "line_states": ("connecting", "live", "stale", "polling", "out", "gone"),
        "at": _AT,
        "nothing": None,
        "long_text": "a long value " * 60,
        "duration": timedelta(hours=3, minutes=20),
    }
    return render(request, "pages/styleguide.html", context)
