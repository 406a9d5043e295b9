"""The number of open warnings of a draft, as its checks found it last. Nothing is checked for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.core.cache import cache

from flows.definition.lint import Finding, open_warnings
from flows.designer.draft.problems import sign

_SECONDS = 3600


def remember(flow: str, definition: Mapping[str, Any], found: Iterable[Finding]) -> None:
    """Keep how many warnings of a definition are not acknowledged; nothing if the checks were cut short."""
    findings = list(found)
    if all(one.check != "gave_up" for one in findings):
        cache.set(_key(flow, definition), len(open_warnings(findings)), _SECONDS)


def forget(flow: str, definition: Mapping[str, Any]) -> None:
    """Drop the number, for example because a warning is acknowledged."""
    cache.delete(_key(flow, definition))


def known(flow: str, definition: Mapping[str, Any]) -> int | None:
    """Return the number; None if the checks have not examined this content in the last hour."""
    return cache.get(_key(flow, definition))


def _key(flow: str, definition: Mapping[str, Any]) -> str:
    return f"wedsql-warnings-{flow}-{sign(definition)}"
