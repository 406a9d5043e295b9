"""Readers of variables: the value of `row.name` in a context."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.template import Context, Variable, VariableDoesNotExist

Reader = Callable[[Context], Any]
# What a reader returns for a variable that does not exist.
MISSING: Final = object()
_NO_ITEM = (TypeError, AttributeError, KeyError, ValueError, IndexError)
_without_items: dict[type, bool] = {}


def reader(variable: Variable) -> Reader:
    """Return what reads a variable, or MISSING. What cannot be read plainly is read by Django."""
    if variable.lookups is None or variable.translate:
        return variable.resolve
    first, *rest = variable.lookups
    return _path(variable, first, tuple(rest)) if rest else _name(variable, first)


def required(variable: Variable) -> Reader:
    """Return a reader that raises VariableDoesNotExist instead, as for the argument of a filter."""
    read = reader(variable)

    def read_required(context: Context) -> Any:
        value = read(context)
        return variable.resolve(context) if value is MISSING else value

    return read_required


def _name(variable: Variable, name: str) -> Reader:
    def read(context: Context) -> Any:
        for names in reversed(context.dicts):
            if name in names:
                value = names[name]
                return _by_django(variable, context) if callable(value) else value
        # A context has attributes of its own, such as the request.
        return _by_django(variable, context) if name in context.__dict__ else MISSING

    return read


def _path(variable: Variable, name: str, rest: tuple[str, ...]) -> Reader:
    def read(context: Context) -> Any:
        for names in reversed(context.dicts):
            if name in names:
                value = names[name]
                break
        else:
            return _by_django(variable, context) if name in context.__dict__ else MISSING
        if callable(value):
            return _by_django(variable, context)
        try:
            for each in rest:
                value = _member(value, each)
                if callable(value):
                    value = _called(value)
        except (TypeError, AttributeError):
            return _by_django(variable, context)
        except Exception as error:
            if getattr(error, "silent_variable_failure", False):
                return ""
            raise
        return value

    return read


def _member(value: Any, name: str) -> Any:
    """Return an item or attribute. Raises AttributeError where Django has to look further."""
    kind = type(value)
    if kind not in _without_items:
        _without_items[kind] = not hasattr(kind, "__getitem__")
    if not _without_items[kind]:
        try:
            return value[name]
        except _NO_ITEM:
            pass
    return getattr(value, name)


def _called(value: Any) -> Any:
    """Call a method without arguments. Raises TypeError for what Django does not call either."""
    if getattr(value, "do_not_call_in_templates", False):
        return value
    if getattr(value, "alters_data", False):
        raise TypeError
    return value()


def _by_django(variable: Variable, context: Context) -> Any:
    try:
        return variable.resolve(context)
    except VariableDoesNotExist:
        return MISSING
