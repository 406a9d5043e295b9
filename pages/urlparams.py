"""Reading and writing query parameters; unusable values count as absent, but in those of a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from difflib import get_close_matches

from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext as _

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


def one_of(known: Collection[str]) -> Callable[[str], Collection[str] | None]:
    """Return a reader for `unusable`: None where each of the words that commas separate is known."""
    return lambda given: None if set(given.split(",")) <= {*known, ""} else known


def readable(read: Callable[[str], object]) -> Callable[[str], Collection[str] | None]:
    """Return a reader for `unusable`: None where `read` finds something."""
    return lambda given: () if given and read(given) is None else None


def unusable(request: HttpRequest, readers: dict[str, Callable[[str], Collection[str] | None]]) -> str:
    """Say which parameter of a file has a value that cannot be used, or two; "" where there is none.

    A reader returns the values that there are instead, or None where the given one is right.
    """
    for name, given in request.GET.lists():
        known = readers[name](given[-1]) if name in readers else None
        if known is None and (len(given) == 1 or name not in readers):
            continue
        shown = "".join(
            each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in given[-1][:60]
        )
        near = get_close_matches(given[-1][:60].rpartition(",")[2], known or (), 1)
        said = [_("“%(value)s” cannot be used as %(name)s: nothing is downloaded.")]
        said += [_("Did you mean %(near)s?")] if near else []
        return " ".join(said) % {"value": shown, "name": name, "near": near[0] if near else ""}
    return ""
