"""Texts that are the same on each page in one language: made once for each language and place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.template import Context
from django.utils.translation.trans_real import DjangoTranslation

from pages.addresses import Place
from pages.compiler.texts import language_of

Tag = TypeVar("Tag", bound=Callable[..., Any])
# A site has a few: its languages, times the parts of it that have addresses of their own.
MOST = 256
_variants: dict[tuple[DjangoTranslation, Place], object] = {}


class Fixed:
    """Renders what depends on nothing but the language and the place of a page; it is made once for each."""

    def __init__(self, make: Callable[[Context], str]) -> None:
        self.make = make
        self._known: dict[object, str] = {}

    def __call__(self, context: Context) -> str:
        variant = variant_of(context)
        if variant is None or not context.autoescape:
            return self.make(context)
        found = self._known.get(variant)
        if found is None:
            found = self._known[variant] = self.make(context)
        return found


def pure(tag: Tag) -> Tag:
    """Mark a tag whose output follows from its arguments and the language alone."""
    tag.is_pure = True  # type: ignore[attr-defined]
    return tag


def variant_of(context: Context) -> object | None:
    """Return the key for the language and the place of a page; None where its texts are not kept."""
    noted = context.__dict__
    if "_variant" not in noted:
        noted["_variant"] = _variant(language_of(context), place_of(context))
    return noted["_variant"]


def _variant(language: Any, place: Place) -> object | None:
    if not isinstance(language, DjangoTranslation):
        return None
    found = _variants.get((language, place))
    if found is None and len(_variants) < MOST:
        found = _variants.setdefault((language, place), object())
    return found


def place_of(context: Context) -> Place:
    """Return the place of a page."""
    noted = context.__dict__
    if "_place" not in noted:
        noted["_place"] = Place.present(_current_app(context))
    return noted["_place"]


def _current_app(context: Context) -> str | None:
    request: Any = getattr(context, "request", None)
    if hasattr(request, "current_app"):
        return request.current_app
    return getattr(getattr(request, "resolver_match", None), "namespace", None)
