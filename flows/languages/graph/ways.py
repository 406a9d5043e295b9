"""The ways of an exclusive gateway as rules whose size grows linearly with their number.

In one rule each way names the conditions of all ways before it, so its size grows with their square. A
gateway for which that is too much has several rules, each for some of its ways. The database performs the
rule with the highest priority first, which consumes the token; the others then no longer hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from flows.languages.graph.counters import holds
from flows.languages.graph.model import Edge

MOST_CHARACTERS, MOST_WORDS = 10_000, 1_000
"""Of a condition or a SET string, as the kernel has it."""
_ENOUGH = 2
"""Which part of what the kernel accepts a rule has at most where its gateway could have several."""
_LARGEST_GROUP = 8
_WORDS = re.compile(r"'(?:[^']|'')*'|\d+(?:\.\d+)?|\w+|[()\[\],]|[^\w\s()\[\],']+")


def words(text: str) -> int:
    """Return about how many words and signs the kernel counts in a text."""
    return sum(1 for _each in _WORDS.finditer(text))


def fits(text: str, parts: int = 1) -> bool:
    """Return whether a text has at most one of so many parts of what the kernel accepts."""
    return len(text) * parts <= MOST_CHARACTERS and words(text) * parts <= MOST_WORDS


def taken(kind: str, edges: Sequence[Edge]) -> list[str]:
    """Return for each of some outgoing edges the condition under which it is taken, in their order."""
    conditions = [holds(edge.condition) for edge in edges if not edge.default]
    found: list[str] = []
    before: list[str] = []
    for edge in edges:
        if edge.default:
            found.append(" and ".join(f"not {each}" for each in conditions) or "true")
        elif kind == "exclusive":
            found.append(" and ".join([*(f"not {each}" for each in before), holds(edge.condition)]))
            before.append(holds(edge.condition))
        else:
            found.append(holds(edge.condition))
    return found


def groups(edges: Sequence[Edge], texts: Callable[[Sequence[Edge]], Sequence[str]]) -> list[list[Edge]]:
    """Divide the ways of an exclusive gateway into those of each rule, in their order.

    texts: returns the condition and the SET string of the rule for some ways.
    """
    ordered = [edge for edge in edges if not edge.default] + [edge for edge in edges if edge.default]
    if _all_fit(texts(edges)):
        return [[*edges]]
    size = _LARGEST_GROUP
    while True:
        found = [ordered[first : first + size] for first in range(0, len(ordered), size)]
        if size == 1 or all(_all_fit(texts(group)) for group in found):
            return found
        size //= 2


def _all_fit(texts: Sequence[str]) -> bool:
    return all(fits(text, _ENOUGH) for text in texts)
