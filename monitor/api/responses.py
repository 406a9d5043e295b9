"""Responses as JSON, with parts that are sent as they were written."""

from __future__ import annotations

import secrets
from typing import Any

from django.http import HttpRequest
from ninja.parser import Parser
from ninja.renderers import JSONRenderer
from ninja.responses import NinjaJSONEncoder

from flows import json_text


class Verbatim:
    """A part of a response that is JSON already: numbers keep every digit, and it may be nested at will.

    It is no dataclass, because pydantic would write it as an object with its fields.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @classmethod
    def of(cls, value: Any) -> Verbatim:
        return cls(json_text.encode(value, NinjaJSONEncoder().default, ensure_ascii=True))


class ExactParser(Parser):
    """Reads numbers of a body with every digit."""

    def parse_body(self, request: HttpRequest) -> Any:
        return json_text.decode(request.body)


class Renderer(JSONRenderer):
    """Writes a random marker for each part that is JSON already, and then replaces the markers."""

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> str:
        parts: dict[str, str] = {}

        def plain(value: Any) -> Any:
            if not isinstance(value, Verbatim):
                return NinjaJSONEncoder().default(value)
            marker = secrets.token_hex(16)
            parts[f'"{marker}"'] = value.text
            return marker

        text = json_text.encode(data, plain, ensure_ascii=True)
        for marker, part in parts.items():
            text = text.replace(marker, part)
        return text
