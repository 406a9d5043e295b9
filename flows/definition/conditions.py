"""Splits conditions into the parts that their AND or OR joins, to compare two of them.

Only the text is read: the kernel decides what a condition means, and a text that it rejects is one part.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

_TOKEN = re.compile(r"'(?:[^']|'')*'|[a-z_][a-z0-9_$]*|\d[\w.]*|\s+|.", re.IGNORECASE | re.DOTALL)
# A page reads each condition several times, and each takes a millisecond per kilobyte.
_remembered = lru_cache(maxsize=64)
_OPENS, _CLOSES = {"(", "[", "case"}, {")", "]", "end"}


def conjuncts(condition: str) -> list[str]:
    """Return the parts that all have to hold; one part for an OR."""
    return [condition.strip()] if len(disjuncts(condition)) > 1 else [*_split(condition, "and")]


def disjuncts(condition: str) -> list[str]:
    """Return of what one has to hold; one part if it is no OR."""
    return [*_split(condition, "or")]


def added_and_removed(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    """Return the parts that only the new list has, and those that only the old one has."""
    return _without(new, old), _without(old, new)


def _without(parts: list[str], others: list[str]) -> list[str]:
    left = Counter(map(normal, others))
    found = []
    for part in parts:
        if left[form := normal(part)]:
            left[form] -= 1
        else:
            found.append(part)
    return found


def normal(condition: str) -> str:
    """Return a condition in a form in which case and spaces outside of texts do not differ."""
    tokens = [token if token.startswith("'") else token.lower() for token in _TOKEN.findall(_bare(condition))]
    return " ".join(token for token in tokens if not token.isspace())


@_remembered
def _split(condition: str, word: str) -> tuple[str, ...]:
    """Split at a word that is in no parentheses, CASE or BETWEEN."""
    text = _bare(condition)
    parts, begin, at = [], 0, 0
    depth, between = 0, 0
    for token in _TOKEN.findall(text):
        lower = token.lower()
        depth += (lower in _OPENS) - (lower in _CLOSES)
        if depth == 0 and lower == "between":
            between += 1
        elif depth == 0 and lower == "and" and between:
            between -= 1
        elif depth == 0 and lower == word:
            parts.append(text[begin:at].strip())
            begin = at + len(token)
        at += len(token)
    return (*parts, text[begin:].strip())


def _bare(condition: str) -> str:
    """Return a condition without parentheses around the whole."""
    text = condition.strip()
    while text.startswith("(") and _closes_at_the_end(text):
        text = text[1:-1].strip()
    return text


def _closes_at_the_end(text: str) -> bool:
    depth, at = 0, 0
    for sign in _TOKEN.findall(text):
        depth += (sign == "(") - (sign == ")")
        at += len(sign)
        if depth == 0:
            return at == len(text)
    return False
