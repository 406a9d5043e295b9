"""Addresses of views, made once for each view and its values."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.urls import get_script_prefix, get_urlconf, reverse
from django.utils.safestring import SafeString
from django.utils.translation import get_language


class Place(NamedTuple):
    """What an address depends on besides its view: it is the same for all of a page."""

    urlconf: str | None
    prefix: str
    language: str | None
    current_app: str | None

    @classmethod
    def present(cls, current_app: str | None = None) -> Place:
        """Return the place of the present request."""
        return cls(get_urlconf(), get_script_prefix(), get_language(), current_app)

    def address(self, name: str, given: Sequence[Any], named: Mapping[str, Any]) -> str:
        """Return the address of a view, as `reverse` does. Raises NoReverseMatch."""
        if any(type(each) not in (str, int, SafeString) for each in (*given, *named.values())):
            return reverse(name, args=given, kwargs=dict(named), current_app=self.current_app)
        return _known(self, name, tuple(given), tuple(named.items()))


def address(name: str, /, *given: Any, **named: Any) -> str:
    """Return the address of a view. Raises NoReverseMatch."""
    return Place.present().address(name, given, named)


@functools.lru_cache(maxsize=8192, typed=True)
def _known(place: Place, name: str, given: tuple[Any, ...], named: tuple[tuple[str, Any], ...]) -> str:
    return reverse(name, args=given, kwargs=dict(named), current_app=place.current_app)
