"""Values that would make a part of a condition hold, for a form that a person completes.

Only what the condition itself says: an attribute compared with a fixed value. Whether the rule then holds is
for the kernel to say.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from flows.capabilities.reasons.api import Obstacle
from flows.definition.condition_sentences import OPPOSITE, SAME

Values = dict[str, Any]

# How the value follows from those of the comparison, by operator.
_FIRST = {"=", "<=", ">=", "in", "between", "is not distinct from"}
_WORDS: Mapping[str, bool | None] = {
    "holds": True, "is true": True, "is not false": True,
    "fails": False, "is false": False, "is not true": False, "is null": None,
}  # fmt: skip
_LITERALS: Mapping[str, bool | None] = {"true": True, "false": False, "null": None}


def rule(obstacles: Iterable[Obstacle], allowed: Collection[str]) -> Values | None:
    """Return values of `allowed` attributes that remove all obstacles; None if the conditions do not say."""
    found: Values = {}
    for obstacle in obstacles:
        values = _part(obstacle.outline, obstacle.wanted == "t")
        if values is None or not set(values) <= set(allowed):
            return None
        if any(name in found and found[name] != value for name, value in values.items()):
            return None
        found |= values
    return found or None


def _part(node: Mapping[str, Any], wanted: bool) -> Values | None:
    if "not" in node:
        return _part(node["not"], not wanted)
    if "operator" not in node:
        return None
    given = SAME.get(node["operator"], node["operator"])
    operator = given if wanted else ("fails" if given == "holds" else OPPOSITE.get(given, ""))
    if operator in _WORDS:
        return {node["attribute"]: _WORDS[operator]}
    if operator in _FIRST and node["values"]:
        return _literal(node["attribute"], node["values"][0])
    return None


def _literal(attribute: str, value: Mapping[str, str]) -> Values | None:
    ((kind, text),) = value.items()
    if kind == "word":
        return {attribute: _LITERALS[text]} if text != "null" else None
    return None if kind == "attribute" else {attribute: text}
