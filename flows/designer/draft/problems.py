"""The problems of a draft. What has not changed since it was checked is not checked again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from django.core.cache import cache
from django.utils.translation import get_language

from flows import api, json_text
from flows.types import Draft, Problem

_SECONDS = 3600
_LISTS = ("attributes", "triggers")
_MOST = 20_000  # signs that are kept of one flow


def checked(draft: Draft) -> list[Problem]:
    """Return the problems of a draft in the active language.

    They are kept while its content and the running version stay.
    """
    versions = f"{draft.running_version}-{draft.base_version}"
    key = f"wedsql-problems-{get_language()}-{draft.flow}-{versions}-{sign(draft.definition)}"
    found = cache.get(key)
    if found is None:
        found = _checked(draft)
        cache.set(key, found, _SECONDS)
    return found


def _checked(draft: Draft) -> list[Problem]:
    """Check a draft, but for the rules and attributes that had no problem the last time."""
    key = f"wedsql-without-problems-{draft.flow}"
    before: frozenset[str] = cache.get(key) or frozenset()
    signs = {part: item_signs(draft.definition, part) for part in _LISTS}
    known = {part: [n for n, own in enumerate(found) if own in before] for part, found in signs.items()}
    problems = api.conditions.check_definition(draft.flow, draft.definition, known=known)
    wrong = {problem.path[:2] for problem in problems}
    right = frozenset(
        own for part, found in signs.items() for n, own in enumerate(found) if (part, n) not in wrong
    )
    cache.set(key, right | before if len(before) < _MOST else right, _SECONDS)
    return problems


def item_signs(definition: Mapping[str, Any], part: str) -> list[str]:
    """Return for each rule or attribute a text that changes with all that its own problems depend on.

    A rule depends on the types of the attributes that occur in it, and on which names are attributes.
    """
    items = definition[part]
    if part != "triggers":
        return [sign([part, item]) for item in items]
    types = {
        str(attribute.get("name")): attribute.get("type")
        for attribute in definition["attributes"]
        if isinstance(attribute, Mapping)
    }
    return [sign([part, item, _read(item, types)]) for item in items]


def _read(item: Any, types: Mapping[str, Any]) -> list[Any]:
    text = json_text.encode(item).lower()
    return sorted(([name, kind] for name, kind in types.items() if name in text), key=str)


def sign(value: Any) -> str:
    """Return a short text that differs for different values."""
    return hashlib.sha256(json_text.encode(value, sort_keys=True).encode()).hexdigest()
