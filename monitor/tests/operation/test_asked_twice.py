"""A page asks the database nothing twice: no two of its statements are the same, with the same values."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from django.db import connection
from django.test import Client

from monitor.tests.conftest import Parcels, client_of, person
from monitor.tests.test_looks import PAGES, olga, served

__all__ = ["olga"]
# What begins and ends transactions, and sets their limits.
_CONTROL = re.compile(r"\s*(set|begin|commit|rollback|savepoint|release)\b", re.IGNORECASE)


class Recording:
    """A client that counts the statements of each page, Django's own and those of flows.api."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.asked: dict[str, Counter[str]] = {}

    def get(self, path: str) -> Any:
        asked = self.asked[path] = Counter[str]()
        connection.ensure_connection()
        session = connection.connection
        usual = session.cursor_factory
        session.cursor_factory = _counting(usual, asked)
        try:
            return self.client.get(path)
        finally:
            session.cursor_factory = usual


def _counting(usual: type[Any], asked: Counter[str]) -> type[Any]:
    class Counting(usual):
        def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
            text = query if isinstance(query, str) else query.as_string(None)
            if not _CONTROL.match(text):
                asked[f"{text} {params!r}"] += 1
            return super().execute(query, params, **options)

    return Counting


def repeated(asked: dict[str, Counter[str]]) -> dict[str, list[tuple[int, str]]]:
    """Return the statements that a page asks several times, with the number."""
    found = {
        path: [(times, text) for text, times in counts.items() if times > 1] for path, counts in asked.items()
    }
    return {path: texts for path, texts in found.items() if texts}


def test_no_page_asks_the_same_twice(olga: Client, parcels: Parcels) -> None:
    """Of a user who sees everything, and of one who has all rights for a flow and sees no masked values."""
    parcels.make_exception(wid := parcels.start(customer="ann", weight=1))
    staff = Recording(olga)
    served(staff, parcels, wid, PAGES)  # type: ignore[arg-type]
    rights = ("design", "operate", "repair", "handle", "approve_repair", "publish", "move")
    member = Recording(client_of(person("mia", *(f"flow:{parcels.flow}:{each}" for each in rights))))
    for path in staff.asked:
        member.get(path)
    assert [repeated(each.asked) for each in (staff, member)] == [{}, {}]
