"""Functions that an expression writes out, `function(x, y) x < y`, and those of FEEL that call one."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from decimal import Decimal

from flows.languages.bpmn.feel import lists
from flows.languages.bpmn.feel.library.list_functions import listed_of
from flows.languages.bpmn.feel.list_parts import replace as replaced_at
from flows.languages.bpmn.feel.lists import (
    NULL,
    Closure,
    Context,
    Item,
    Listed,
    NoValue,
    Value,
    closed,
    one,
    parts_of,
)
from flows.languages.bpmn.feel.values import Part

_NUMBER = r"\(*(-?(?:\d+(?:\.\d+)?|\.\d+))\)*"
_WRITTEN = re.compile(rf"{_NUMBER} (<|<=|>|>=|=|<>) {_NUMBER}")
_SIGNS: dict[str, Callable[[Decimal, Decimal], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq,
    "<>": operator.ne,
}  # fmt: skip


def _truth(function: str, value: Closure, arguments: Sequence[Value]) -> str:
    """Return a condition that a function makes of its arguments, `true` or `false` where that is known."""
    if len(value.names) != len(arguments):
        raise NoValue(f"The function of “{function}” has {len(arguments)} arguments.")
    test = lists.as_type(one(value.result(arguments)), "boolean")
    if test != NULL and test.type not in ("boolean", ""):
        raise NoValue(f"The function of “{function}” is a condition, not a value of type {test.type}.")
    found = _WRITTEN.fullmatch(test)
    if found is None:
        return f"({test})"
    return str(_SIGNS[found[2]](Decimal(found[1]), Decimal(found[3]))).lower()


def sort(value: Value, precedes: Value) -> Value:
    """Return the items in the order that a function says; each is null where that is unknown.

    The place of an item is the number of items that come before it. Items of which none precedes the other
    stay in their order.
    """
    if value == NULL:
        return NULL
    if not isinstance(precedes, Closure):
        raise NoValue("The last argument of “sort” is a function: function(x, y) x < y.")
    values = listed_of(value).values()
    before: list[list[str]] = [[] for _ in values]
    for at, item in enumerate(values):
        for earlier in range(at):
            test = _truth("sort", precedes, [item, values[earlier]])
            before[earlier].append(test)
            before[at].append({"true": "false", "false": "true"}.get(test, f"not {test}"))
    if all(test in ("true", "false") for tests in before for test in tests):
        rows = sorted(zip((tests.count("true") for tests in before), values, strict=True), key=lambda r: r[0])
        return lists.listed(each for _place, each in rows)
    places = [" + ".join(f"({test})::integer" for test in tests) for tests in before]
    return lists.listed(_at(place, places, values) for place in range(len(values)))


def _at(place: int, places: list[str], values: list[Value]) -> Value:
    """Return the item that has a place, of contexts with the same names one of these."""
    contexts = [each for each in values if isinstance(each, Context)]
    if contexts and len(contexts) == len(values):
        names = list(contexts[0].entries)
        if any(set(each.entries) != set(names) for each in contexts):
            raise NoValue("The contexts that “sort” orders have the same names.")
        return Context(
            {name: _at(place, places, [each.entries[name] for each in contexts]) for name in names}
        )
    parts = parts_of(lists.listed(values))
    cases = " ".join(f"when {rank} = {place} then {part}" for rank, part in zip(places, parts, strict=True))
    return Part(f"(case {cases} end)", lists.shared(parts))


def replace(value: Value, position: Value, item: Value) -> Value:
    """Return a list with another item at a position, or in place of those for which a function is true."""
    if NULL in (value, position):
        return NULL
    if not isinstance(position, Closure):
        return replaced_at(value, position, item)
    items = []
    for each in listed_of(value).items:
        test = _truth("list replace", position, [each.value, item])
        items.append(Item(_instead(test, each.value, item), each.kept))
    return Listed(tuple(items))


def _instead(test: str, old: Value, new: Value) -> Value:
    if test in ("true", "false"):
        return new if test == "true" else old
    first, second = parts_of(lists.listed([new, old]))
    return closed(Part(f"(case when {test} then {first} else {second} end)", lists.shared([first, second])))


FUNCTIONS: dict[str, tuple[str, Callable[..., Value]]] = {
    "sort": ("list, precedes", sort),
    "list replace": ("list, position, newItem", replace),
}
