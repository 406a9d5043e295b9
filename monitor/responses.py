"""Responses with values of flows."""

from __future__ import annotations

from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpResponse

from flows.json_text import encode


def exact_json(body: Any) -> HttpResponse:
    """Return a response with this as JSON, in which numbers keep every digit."""
    text = encode(body, DjangoJSONEncoder().default, indent=2)
    return HttpResponse(text, content_type="application/json")
