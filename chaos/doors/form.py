"""The fields of a page's forms, as a browser would send them."""

from __future__ import annotations

import html.parser


class Fields(html.parser.HTMLParser):
    """The fields of a page's forms with their values."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []
        self._select = self._text = ""

    @classmethod
    def of(cls, page: str) -> list[tuple[str, str]]:
        parser = cls()
        parser.feed(page)
        return parser.found

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name = given.get("name") or ""
        if tag == "input" and name and given.get("type") not in ("submit", "checkbox"):
            self.found.append((name, given.get("value") or ""))
        elif tag == "input" and given.get("type") == "checkbox" and "checked" in given:
            self.found.append((name, "on"))
        elif tag == "select":
            self._select = name
        elif tag == "option" and "selected" in given and self._select:
            self.found.append((self._select, given.get("value") or ""))
        elif tag == "textarea":
            self._text = name

    def handle_data(self, data: str) -> None:
        if self._text:
            self.found.append((self._text, data.strip()))
            self._text = ""
