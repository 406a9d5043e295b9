"""Helpers of the tests of the pages that edit a draft: their addresses, forms, texts and the draft."""

from __future__ import annotations

import re
from typing import Any

from django.test import Client
from django.urls import reverse

from flows import api
from flows.models import Flow
from flows.tests.pages import Form, opened
from flows.types import Draft


def at(flow: str, tab: str = "rules", query: str = "") -> str:
    return reverse(f"admin:flows_flow_{tab}", args=(Flow.objects.get(name=flow).pk,)) + query


def send(client: Client, address: str, do: str = "save", **typed: str | None) -> Any:
    """Open the page, fill fields of its form and press a button; None clears a check box."""
    return submit(client, address, opened(client, address), do, **typed)


def submit(
    client: Client, address: str, fields: dict[str, str], do: str = "save", **typed: str | None
) -> Any:
    fields = fields | {"do": do} | {name: text for name, text in typed.items() if text is not None}
    for name in (name for name, text in typed.items() if text is None):
        fields.pop(name, None)
    return client.post(address.partition("?")[0], fields, follow=True)


def text_of(response: Any) -> str:
    """Return the text of the page without markup."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def draft(flow: str) -> Draft:
    return api.drafts.read(flow)


def rule(flow: str, place: int) -> dict[str, Any]:
    return draft(flow).definition["triggers"][place - 1]


def fields_of(response: Any) -> dict[str, str]:
    """Return the fields that a browser would send; no radio button of the page is chosen."""
    fields = Form(response.content.decode()).fields
    return {name: value for name, value in fields.items() if not name.startswith("side-")}


def button(client: Client, flow: str, do: str) -> str:
    answer = client.post(at(flow, "draft"), {"seen": opened(client, at(flow))["seen"], "do": do}, follow=True)
    return answer.content.decode()
