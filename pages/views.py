"""The style page, which shows every component in both themes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from pages import labels

_AT = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
# Fields of a state, as templates/pages/state_fields.html takes them.
_FIELDS = (
    {"name": "packed", "label": "Packed", "field": "f1", "text": "", "options": (("", ""), ("yes", "yes"))},
    {
        "name": "weight",
        "label": "weight",
        "field": "f2",
        "text": "heavy",
        "filled": "heavy",
        "error": "“heavy” is not a number.",
    },
    {"name": "note", "label": "Note", "field": "f3", "filled": "{}", "is_multiline": True},
    {"name": "day", "label": "Day", "field": "f4", "filled": "2026-03-04", "type": "date", "input": "date"},
    {"name": "at", "label": "At", "field": "f5", "filled": "2026-03-04T05:06", "input": "datetime-local"},
)


@require_safe
def styleguide(request: HttpRequest) -> HttpResponse:
    """Show every component with fixed content; 404 unless settings.STYLEGUIDE is on, as in development."""
    if not settings.STYLEGUIDE:
        raise Http404
    context = {
        "themes": ("light", "dark"),
        "statuses": labels.STATUS,
        "types": labels.TYPE,
        "live_states": ("connecting", "live", "stale", "polling", "out", "gone"),
        "at": _AT,
        "nothing": None,
        "long_text": "a long value " * 60,
        "duration": timedelta(hours=3, minutes=20),
        "fields": _FIELDS,
    }
    return render(request, "pages/styleguide.html", context)
