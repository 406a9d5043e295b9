"""Helpers for forms: open a page, fill fields by name, submit the form."""

from __future__ import annotations

import re
import uuid
from html.parser import HTMLParser
from typing import Any

from django.test import Client

ATTRIBUTES = (("a1", "ready"), ("a2", ""), ("a3", ""))
TRIGGERS = (
    ("t1", "tr_a2", "c1", "a1='ready' and (a2 is null)", "3d18h"),
    ("t2", "tr_a3", "c2", "a1='ready' and (a3 is null)", "00:00:30"),
    ("tf", "tr_final", "cf", "a1='ready'\r\nand (a2 is not null)\r\nand (a3 is not null)", "00:00:10"),
)


def unique(prefix: str = "f") -> str:
    """Return a name that no other flow has."""
    return f"{prefix}_{uuid.uuid4().hex[:12]}"


class Form(HTMLParser):
    """Parses the fields of a page and their values."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.fields: dict[str, str] = {}
        self._area: str | None = None
        self._select: str | None = None
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name = given.get("name")
        if tag == "textarea" and name:
            self._area, self.fields[name] = name, ""
        elif tag == "select" and name:
            self._select, self.fields[name] = name, ""
        elif tag == "option" and self._select and "selected" in given:
            self.fields[self._select] = given.get("value") or ""
        elif tag == "input" and name and given.get("type") not in ("submit", "button"):
            if given.get("type") != "checkbox":
                self.fields[name] = given.get("value") or ""
            elif "checked" in given:
                self.fields[name] = given.get("value") or "on"

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._area = None
        elif tag == "select":
            self._select = None

    def handle_data(self, data: str) -> None:
        if self._area:
            # Like a browser, drop the newline that HTML allows after the opening tag.
            self.fields[self._area] += data.removeprefix("\n") if not self.fields[self._area] else data


def opened(client: Client, address: str) -> dict[str, str]:
    """Return the fields that a browser would send if nothing were changed."""
    response = client.get(address)
    assert response.status_code == 200, response.status_code
    fields = Form(response.content.decode()).fields
    return {name: value for name, value in fields.items() if "__prefix__" not in name}


def figure_two(name: str) -> dict[str, str]:
    """Return the fields that define the flow of the paper's figure 2 on the page for a new flow."""
    typed = {"name": name, "triggers-3-predicate": "a1 <> 'ready'", "triggers-3-final": "on"}
    for row, (attribute, default) in enumerate(ATTRIBUTES):
        typed |= {f"attributes-{row}-name": attribute, f"attributes-{row}-default": default}
    for row, values in enumerate(TRIGGERS):
        words = ("name", "transition", "condition", "predicate", "timeout")
        typed |= {f"triggers-{row}-{word}": value for word, value in zip(words, values, strict=True)}
    return typed


def errors_at(response: Any, field: str) -> str:
    """Return the text of the errors at one field of a form or an inline, or ''."""
    for form in _forms(response):
        for name in form.errors:
            shown = form.add_prefix(name) if name != "__all__" else f"{form.prefix or ''}:row"
            if shown == field:
                return re.sub(r"<[^>]+>", " ", str(form.errors[name]))
    return ""


def all_errors(response: Any) -> dict[str, str]:
    """Return all errors of the page by field, for the message of a failing test."""
    return {
        f"{form.prefix or ''}-{name}": str(errors)
        for form in _forms(response)
        for name, errors in form.errors.items()
    }


def _forms(response: Any) -> list[Any]:
    inlines = response.context["inline_admin_formsets"]
    return [
        response.context["adminform"].form,
        *(form for inline in inlines for form in inline.formset.forms),
    ]
