"""Reading and writing query parameters; unusable values count as absent."""

from __future__ import annotations

import re

from django.http import HttpRequest, QueryDict

_NUMBER = re.compile(r"-?[0-9]{1,10}")


def number(text: str | None) -> int | None:
    """Return the number if it fits PostgreSQL's integer, or None for anything else."""
    if not text or not _NUMBER.fullmatch(text):
        return None
    value = int(text)
    return value if -(2**31) <= value < 2**31 else None


def long_number(text: str | None) -> int | None:
    """Return the positive number if it fits PostgreSQL's bigint, or None for anything else."""
    if not text or not text.isascii() or not text.isdigit() or len(text) > 18:
        return None
    return int(text)


def numbers(request: HttpRequest, name: str, most: int) -> list[int]:
    """Return the numbers of `name=1,2,3`, at most `most` of them."""
    found = (number(part) for part in request.GET.get(name, "").split(",", most)[:most])
    return [value for value in found if value is not None]


def text(request: HttpRequest, name: str, default: str = "") -> str:
    """Return a parameter's text without the character NUL, which PostgreSQL rejects."""
    return request.GET.get(name, default).replace("\x00", "")


def before_after(request: HttpRequest) -> tuple[int | None, int | None]:
    """Return `before` and `after`; only `after` if both are given."""
    before, after = number(request.GET.get("before")), number(request.GET.get("after"))
    return (None if after is not None else before), after


def without(query: QueryDict, *names: str) -> str:
    """Return the query string without these names."""
    rest = query.copy()
    for name in names:
        rest.pop(name, None)
    return rest.urlencode()
