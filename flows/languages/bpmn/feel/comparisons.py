"""Comparisons: those that have an answer in FEEL, with the answer that they have there."""

from __future__ import annotations

from flows.languages.bpmn.feel import lists
from flows.languages.bpmn.feel.lists import NULL, Listed, NoValue, Ranged, Value
from flows.languages.bpmn.feel.path_tests import variable
from flows.languages.bpmn.feel.paths import Documents, Extreme
from flows.languages.bpmn.feel.values import NUMBERS, UNTEXTUAL, Part
from flows.languages.bpmn.feel.words import NotSimple

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_CONTRARY = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_NO_NUMBER = '@.type() != "number"'


def compared(left: Value, sign: str, right: Value, place: int) -> Part:
    """Return a comparison. Raises NotSimple for one that has no answer in FEEL, and has one in SQL."""
    if isinstance(right, Extreme) and not isinstance(left, Extreme):
        left, sign, right = right, _TURNED.get(sign, sign), left
    if isinstance(left, Extreme) and isinstance(right, Part) and right != NULL:
        return _extreme(left, sign, right, place)
    found = _equal(left, sign, right, place) if sign in ("=", "<>") else None
    return _single(left, sign, right, place) if found is None else found


def _equal(left: Value, sign: str, right: Value, place: int) -> Part | None:
    """Return a comparison of two lists or ranges, None for other values."""
    if isinstance(left, Listed) and isinstance(right, Listed):
        return _equal_lists(left, sign, right, place)
    if isinstance(left, Ranged) and isinstance(right, Ranged):
        return _equal_ranges(left, sign, right, place)
    array = _arrays(left, right)
    return None if array is None else Part(f"({f' {sign} '.join(array)})", "boolean")


def _single(left: Value, sign: str, right: Value, place: int) -> Part:
    """Return a comparison of two values that are neither lists nor ranges."""
    try:
        first, second = lists.one(left), lists.one(right)
    except NoValue as error:
        raise NotSimple(str(error), place) from error
    if NULL in (first, second) and sign in ("=", "<>"):
        return _null(sign, operand(second if first == NULL else first))
    if NULL in (first, second) and "jsonb" in (first.type, second.type):
        return Part("null", "boolean")
    if first.type == second.type == "jsonb":
        return _of_documents(first, sign, second)
    first, second = alike([first, second], place)
    return Part(f"{first} {sign} {second}", "boolean")


def _of_documents(first: Part, sign: str, second: Part) -> Part:
    """Return a comparison of two values of JSON: null where they are of two types, or have no order."""
    kinds = [f"jsonb_typeof({each})" for each in (first, second)]
    ordered = "" if sign in ("=", "<>") else f" and {kinds[0]} in ('number', 'string')"
    return Part(f"(case when {' = '.join(kinds)}{ordered} then {first} {sign} {second} end)", "boolean")


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


def _extreme(left: Extreme, sign: str, right: Part, place: int) -> Part:
    """Return a comparison of the least or greatest item: null of an empty list, or one with other items."""
    if not lists.is_written(right) and (right.type not in NUMBERS or not right.isidentifier()):
        raise NotSimple(lists.only(left), place)
    number, passed = right.strip("()"), ""
    if right.isidentifier():
        number, passed = f"${right}", variable(right, right, is_text=False)
    beyond, turned = (">", ("<", "<=")) if left.greatest else ("<", (">", ">="))
    if sign in ("=", "<>"):
        test = f"({left.has(f'@ == {number}', passed)} and not {left.has(f'@ {beyond} {number}', passed)})"
    else:
        test = left.has(f"@ {_CONTRARY[sign] if sign in turned else sign} {number}", passed)
    test = f"not {test}" if sign in ("<>", *turned) else test
    known = [f"jsonb_array_length({left.of.array()}) > 0", f"not {left.has(_NO_NUMBER)}"]
    known += [f"{right} is not null"] if passed else []
    return Part(f"(case when {' and '.join(known)} then {test} end)", "boolean")


def _arrays(left: Value, right: Value) -> list[str] | None:
    """Return a list in an attribute and one that is written out as JSON, None for other values."""
    kinds = [isinstance(each, Listed) for each in (left, right)]
    if kinds.count(True) != 1:
        return None
    other = right if kinds[0] else left
    if not isinstance(other, Documents) and not (isinstance(other, Part) and other.type == "jsonb"):
        return None
    return [lists.as_json(left), lists.as_json(right)]


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
