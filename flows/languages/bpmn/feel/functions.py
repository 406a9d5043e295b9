"""The built-in functions of FEEL: which there are, with the names of their arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flows.languages.bpmn.feel import list_parts
from flows.languages.bpmn.feel.library import (
    function_values,
    list_functions,
    moment_functions,
    number_functions,
    range_functions,
    statistics,
    text_functions,
    value_functions,
)
from flows.languages.bpmn.feel.lists import Closure, NoValue, Value, listed, one

_CLOCK = frozenset({"now", "today"})
_OF_LISTS = {
    **list_functions.FUNCTIONS,
    **list_parts.FUNCTIONS,
    **statistics.FUNCTIONS,
    **value_functions.FUNCTIONS,
    **function_values.FUNCTIONS,
}
_OTHERS: dict[str, tuple[str, Callable[..., Value]]] = {
    **text_functions.FUNCTIONS,
    **number_functions.FUNCTIONS,
    **moment_functions.FUNCTIONS,
}
# Functions of one list, whose items may also be the arguments.
_VARIADIC = frozenset(
    {"min", "max", "sum", "product", "mean", "all", "any", "and", "or", "median", "stddev", "mode"}
)
_FREE = frozenset({"concatenate", "union", "append"})


def called(name: str, values: Sequence[Value], names: Sequence[str] = ()) -> Value:
    """Return the result of a function. Raises NoValue for an unknown one, or other arguments than it has."""
    if name in _CLOCK:
        raise NoValue(f"“{name}()” changes without the data; a timer waits for a moment.")
    if name not in function_values.FUNCTIONS:
        values = [one(each) if isinstance(each, Closure) else each for each in values]
    if name in range_functions.NAMES:
        return range_functions.compare(name, values, names)
    if name in _OF_LISTS:
        arguments, function = _OF_LISTS[name]
        if name in _VARIADIC and not names and (len(values) > 1 or not list_functions.is_list(values[0])):
            values = [listed(values)]
        if name in _FREE:
            return function(*values)
        return function(*_ordered(name, arguments.split(", "), values, names))
    if name not in _OTHERS:
        raise NoValue(f"“{name[:40]}(” is not in the subset; write the condition in SQL.")
    arguments, function = _OTHERS[name]
    return function(*(one(each) for each in _ordered(name, arguments.split(", "), values, names)))


def _ordered(
    name: str, arguments: list[str], values: Sequence[Value], names: Sequence[str]
) -> Sequence[Value]:
    """Return the arguments in their order; those that may be left out have a question mark."""
    least = sum(not each.endswith("?") for each in arguments)
    if names:
        known = [each.removesuffix("?") for each in arguments]
        given = dict(zip(names, values, strict=True))
        if not set(given) <= set(known):
            raise NoValue(f"The arguments of “{name}” are {', '.join(known)}.")
        count = max(known.index(each) for each in given) + 1
        if set(known[:count]) != set(given):
            raise NoValue(f"The arguments of “{name}” are {', '.join(known)}.")
        values = [given[each] for each in known[:count]]
    if not least <= len(values) <= len(arguments):
        if least == len(arguments):
            raise NoValue(f"The number of arguments of “{name}” is {least}.")
        raise NoValue(f"The number of arguments of “{name}” is from {least} to {len(arguments)}.")
    return values
