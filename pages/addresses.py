"""Addresses of views, made once for each view and its values."""

from __future__ import annotations

import functools
from typing import Any

from django.urls import get_script_prefix, get_urlconf, reverse
from django.utils.safestring import SafeString
from django.utils.translation import get_language


def address(name: str, /, *given: Any, current_app: str | None = None, **named: Any) -> str:
    """Return the address of a view, as `reverse` does. Raises NoReverseMatch."""
    if any(type(each) not in (str, int, SafeString) for each in (*given, *named.values())):
        return reverse(name, args=given, kwargs=named, current_app=current_app)
    where = (get_urlconf(), get_script_prefix(), get_language())
    return _known(where, name, given, tuple(named.items()), current_app)


@functools.lru_cache(maxsize=8192, typed=True)
def _known(
    _where: tuple[Any, ...],
    name: str,
    given: tuple[Any, ...],
    named: tuple[tuple[str, Any], ...],
    current_app: str | None,
) -> str:
    return reverse(name, args=given, kwargs=dict(named), current_app=current_app)
