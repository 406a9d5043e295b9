"""Texts of values and translated texts, as a page shows them."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from django.conf import settings
from django.template import Context
from django.template.base import render_value_in_context
from django.utils.safestring import SafeString
from django.utils.translation.trans_real import DjangoTranslation, catalog

from pages.markup import escaped


def shown(value: Any, context: Context) -> str:
    """Return a value as text of the page: localized, and escaped if need be."""
    kind = type(value)
    if kind is SafeString:
        return value
    if kind is str:
        return escape(value) if context.autoescape else value
    if kind is int and not settings.USE_THOUSAND_SEPARATOR:
        return str(value)
    return str(render_value_in_context(value, context))


def written(output: Any, context: Context) -> Any:
    """Escape the output of a tag if need be."""
    return escaped(output) if context.autoescape else output


def per_language(make: Callable[[], str]) -> Callable[[Context], str]:
    """Return a function for a text that is made once for each language.

    Only languages of the site are kept; where none is active, `make` is called each time.
    """
    known: dict[DjangoTranslation, str] = {}

    def text(context: Context) -> str:
        language = language_of(context)
        found = known.get(language)
        if found is None:
            found = make()
            if isinstance(language, DjangoTranslation):
                known[language] = found
        return found

    return text


def language_of(context: Context) -> Any:
    """Return the texts of the language in which a context is rendered; `{% language %}` changes it."""
    noted = context.__dict__
    if "_language" not in noted:
        noted["_language"] = catalog()
    return noted["_language"]


def forget_language(context: Context) -> None:
    """Note that another language is active from now on."""
    context.__dict__.pop("_language", None)
    context.__dict__.pop("_variant", None)
