"""Reading and writing the parameters of an address; what is unusable counts as not given."""

from __future__ import annotations

import re

from django.http import HttpRequest, QueryDict

_NUMBER = re.compile(r"-?[0-9]{1,10}")


def number(text: str | None) -> int | None:
    """A whole number that fits PostgreSQL's integer, or None for anything else."""
    if not text or not _NUMBER.fullmatch(text):
        return None
    value = int(text)
    return value if -(2**31) <= value < 2**31 else None


def numbers(request: HttpRequest, name: str, most: int) -> list[int]:
    """The numbers of `name=1,2,3`, at most `most` of them."""
    found = (number(part) for part in request.GET.get(name, "").split(",", most)[:most])
    return [value for value in found if value is not None]


def text(request: HttpRequest, name: str, default: str = "") -> str:
    """The text of a parameter without the character NUL, which PostgreSQL has in no text."""
    return request.GET.get(name, default).replace("\x00", "")


def before_after(request: HttpRequest) -> tuple[int | None, int | None]:
    """`before` and `after` of the address; `after` counts where both are given."""
    before, after = number(request.GET.get("before")), number(request.GET.get("after"))
    return (None if after is not None else before), after


def without(query: QueryDict, *names: str) -> str:
    """The query string with these names left out."""
    rest = query.copy()
    for name in names:
        rest.pop(name, None)
    return rest.urlencode()


def without_triple(query: QueryDict, names: tuple[str, str, str], index: int) -> str:
    """The query string with the index-th triple of repeated names left out, back on the first page."""
    rest = query.copy()
    triples = list(zip(*(rest.getlist(name) for name in names), strict=False))
    kept = [triple for at, triple in enumerate(t for t in triples if t[0]) if at != index]
    for at, name in enumerate(names):
        rest.setlist(name, [triple[at] for triple in kept])
    for name in ("before", "after"):
        rest.pop(name, None)
    return rest.urlencode()
