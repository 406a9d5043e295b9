"""Comparisons: those that have an answer in FEEL, with the answer that they have there."""

from __future__ import annotations

from flows.languages.bpmn.feel import lists
from flows.languages.bpmn.feel.lists import NULL, Listed, NoValue, Ranged, Value
from flows.languages.bpmn.feel.values import UNTEXTUAL, Part
from flows.languages.bpmn.feel.words import NotSimple


def compared(left: Value, sign: str, right: Value, place: int) -> Part:
    """Return a comparison. Raises NotSimple for one that has no answer in FEEL, and has one in SQL."""
    if isinstance(left, Listed) and isinstance(right, Listed) and sign in ("=", "<>"):
        return _equal_lists(left, sign, right, place)
    if isinstance(left, Ranged) and isinstance(right, Ranged) and sign in ("=", "<>"):
        return _equal_ranges(left, sign, right, place)
    try:
        first, second = lists.one(left), lists.one(right)
    except NoValue as error:
        raise NotSimple(str(error), place) from error
    if NULL in (first, second) and sign in ("=", "<>"):
        return _null(sign, operand(second if first == NULL else first))
    if NULL in (first, second) and "jsonb" in (first.type, second.type):
        return Part("null", "boolean")
    first, second = alike([first, second], place)
    return Part(f"{first} {sign} {second}", "boolean")


def _null(sign: str, part: Part) -> Part:
    test = lists.is_null(part)
    if sign == "=":
        return Part(test, "boolean")
    plain = test.endswith(" is null")
    return Part(f"{test.removesuffix('null')}not null" if plain else f"not ({test})", "boolean")


def _equal_lists(left: Listed, sign: str, right: Listed, place: int) -> Part:
    first, second = left.values(), right.values()
    tests = [f"({compared(one, '=', other, place)})" for one, other in zip(first, second, strict=False)]
    equal = " and ".join(tests) or "true" if len(first) == len(second) else "false"
    return Part(f"({equal})" if sign == "=" else f"not ({equal})", "boolean")


def _equal_ranges(left: Ranged, sign: str, right: Ranged, place: int) -> Part:
    ends = [compared(left.low, "=", right.low, place), compared(left.high, "=", right.high, place)]
    same = (left.with_low, left.with_high) == (right.with_low, right.with_high)
    equal = f"({' and '.join(ends)})" if same else "false"
    return Part(equal if sign == "=" else f"not ({equal})", "boolean")


def alike(parts: list[Part], place: int) -> list[Part]:
    """Return the parts of a comparison, those of JSON as values of the type of the others."""
    if any(part.type == "jsonb" for part in parts):
        parts = _typed(parts, place)
    parts = [operand(part) for part in parts]
    if {True, False} <= {part.months for part in parts}:
        raise NotSimple("A duration of months is not comparable with one of days.", place)
    text = next((part for part in parts if part.startswith("'")), None)
    other = next((part for part in parts if part.type in UNTEXTUAL), None)
    if text is not None and other is not None:
        raise NotSimple(f"The text {text[:40]} is not comparable with a value of type {other.type}.", place)
    return parts


def _typed(parts: list[Part], place: int) -> list[Part]:
    try:
        type_ = lists.common(parts)
        if type_ or any(part.type == "" and part != NULL for part in parts):
            return [lists.as_type(part, type_) for part in parts]
    except NoValue as error:
        raise NotSimple(str(error), place) from error
    raise NotSimple("Two values of JSON are not compared here; the type of one must be known.", place)


def operand(part: Part) -> Part:
    """Return a part of a comparison; `not` in SQL would be about all of the comparison."""
    return Part(f"({part})", part.type) if part.startswith("not ") else part
