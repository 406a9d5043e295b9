"""Functions of lists in attributes: the database computes them from JSON, without a query.

A path of SQL/JSON adds or multiplies what is at each of MOST_ITEMS places of an array. Behind its items there
are as many more; what these give is known, and is taken away again.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from flows.languages.bpmn.feel import lists
from flows.languages.bpmn.feel.lists import NULL, NoValue, Value, one, whole
from flows.languages.bpmn.feel.paths import Documents, Extreme, Mapped, at, quoted
from flows.languages.bpmn.feel.values import Part

MOST_ITEMS = 200
_KEYS = re.compile(r'@((?:\."(?:[^"\\]|\\.)*")*)')


def _folded(of: Mapped, sign: str) -> str:
    """Return the sum or product of what a path gives for the items of an array and for those behind them."""
    behind = ", ".join([_filler(of.path)] * MOST_ITEMS)
    terms = f" {sign} ".join(at(of.path, place) for place in range(MOST_ITEMS))
    array = f"{of.of.array()} || '[{behind}]'::jsonb"
    return f"{_read(of, array, terms)}::numeric"


def _read(of: Mapped, array: str, path: str) -> str:
    return f"jsonb_path_query_first({array}, {quoted(path)}{of.variables()}, true)"


def _filler(path: str) -> str:
    """Return an item as JSON that has the number 1 wherever the path looks for one."""
    found: dict[str, object] = {}
    for match in _KEYS.finditer(path):
        keys = re.findall(r'"(?:[^"\\]|\\.)*"', match[1])
        inner = found
        for key in keys[:-1]:
            inner = inner.setdefault(key, {})  # type: ignore[assignment]
            if not isinstance(inner, dict):
                raise NoValue("A part of an item is a number and has parts here.")
        if keys:
            inner.setdefault(keys[-1], 1)
    return _written(found) if found else "1"


def _written(of: dict[str, object]) -> str:
    pairs = (f"{key}: {_written(each) if isinstance(each, dict) else each}" for key, each in of.items())
    return f"{{{', '.join(pairs)}}}"


def _of_some(array: str, text: str) -> Part:
    """Return a number that an array has if it has items, and not too many."""
    length = f"jsonb_array_length({array})"
    too_many = f"('more than {MOST_ITEMS} items: ' || ({length})::text)::numeric"
    return Part(
        f"(case when {length} > {MOST_ITEMS} then {too_many} when {length} > 0 then {text} end)", "numeric"
    )


def total(of: Mapped) -> Part:
    """Return the sum of the items, null where one is no number, or there is none."""
    array = of.of.array()
    behind = f"({MOST_ITEMS} - jsonb_array_length({array}))"
    if of.path != "@":
        one_more = f"'[{_filler(of.path)}]'::jsonb"
        behind = f"{behind} * {_read(of, one_more, at(of.path, 0))}::numeric"
    return _of_some(array, f"{_folded(of, '+')} - {behind}")


def times(of: Mapped) -> Part:
    """Return the product of the items, null where one is no number, or there is none."""
    if of.path != "@":
        raise NoValue("“product” is of the items of a list in an attribute, not of what “for” makes of them.")
    return _of_some(of.of.array(), _folded(of, "*"))


def mean(of: Mapped) -> Part:
    """Return the arithmetic mean of the items."""
    return Part(f"({total(of)} / nullif({of.of.count()}, 0)::numeric)", "numeric")


def extreme(greatest: bool) -> Callable[[Mapped], Extreme]:
    """Return the function that returns the least or the greatest item."""

    def found(of: Mapped) -> Extreme:
        if of.path != "@":
            raise NoValue(
                "“min” and “max” are of the items of a list in an attribute, not of what “for” makes."
            )
        return Extreme(of.of, greatest)

    return found


def truth(word: str) -> Callable[[Mapped], Part]:
    """Return the function that says whether some items, or all, are true."""

    def found(of: Mapped) -> Part:
        return of.of.holds(word, f"{of.path} == true", dict(of.passed))

    return found


def append(of: Documents, *items: Value) -> Documents:
    """Return a list with more items at its end."""
    pieces = [f"({lists.as_json(one(each))})" for each in items]
    wrapped = [f"jsonb_path_query_array({each}, 'strict $')" for each in pieces]
    return Documents(f"({' || '.join([of.array(), *wrapped])})")


def concatenate(*values: Value) -> Documents:
    """Return the items of some lists as one list."""
    arrays = [each.array() if isinstance(each, Documents) else lists.as_json(each) for each in values]
    return Documents(f"({' || '.join(arrays)})")


def sublist(of: Documents, start: Value, length: Value | None = None) -> Value:
    """Return a part of a list in an attribute, which begins at a place that is written out."""
    first, size = whole(start), whole(length) if length is not None else 0
    if first is None or size is None or first < 0:
        raise NoValue("The numbers of “sublist” are whole numbers from 1 on that are written out.")
    if first == 0 or (length is not None and size < 1):
        return NULL
    last = "last" if length is None else str(first + size - 2)
    array = of.array()
    need = first if length is None else first + size - 1
    path = quoted(f"$[{first - 1} to {last}]")
    text = (
        f"(case when jsonb_array_length({array}) >= {need} then jsonb_path_query_array({array}, {path}) end)"
    )
    return Documents(text)
