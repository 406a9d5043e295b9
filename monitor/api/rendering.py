"""Responses as JSON, with parts that are sent as they were written."""

from __future__ import annotations

import json
import secrets
from typing import Any

from django.http import HttpRequest
from ninja.renderers import JSONRenderer
from ninja.responses import NinjaJSONEncoder


class Verbatim:
    """A part of a response that is JSON already: numbers keep every digit, and it may be nested at will.

    It is no dataclass, because pydantic would write it as an object with its fields.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @classmethod
    def of(cls, value: Any) -> Verbatim:
        return cls(json.dumps(value, cls=NinjaJSONEncoder))


class Renderer(JSONRenderer):
    """Writes a random marker for each part that is JSON already, and then replaces the markers."""

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> str:
        parts: dict[str, str] = {}

        class Encoder(NinjaJSONEncoder):
            def default(self, o: Any) -> Any:
                if not isinstance(o, Verbatim):
                    return super().default(o)
                marker = secrets.token_hex(16)
                parts[f'"{marker}"'] = o.text
                return marker

        text = json.dumps(data, cls=Encoder)
        for marker, part in parts.items():
            text = text.replace(marker, part)
        return text
