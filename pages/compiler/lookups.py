"""Readers of variables: the value of `row.name` in a context."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any, Final

from django.template import Context, Variable, VariableDoesNotExist
from django.template.context import BaseContext

Reader = Callable[[Context], Any]
# What a reader returns for a variable that does not exist.
MISSING: Final = object()
# They have no properties that fail, and listing their names takes long.
_PLAIN = frozenset({dict, list, tuple, str, int, type(None)})
_NO_ITEM = (TypeError, AttributeError, KeyError, ValueError, IndexError)


def reader(variable: Variable, missing: Any = MISSING) -> Reader:
    """Return the reader of a variable, which returns `missing` where there is none."""
    if variable.lookups is None or variable.translate:
        return variable.resolve
    first, *rest = variable.lookups
    return _path(variable, first, tuple(rest), missing) if rest else _name(variable, first, missing)


def required(variable: Variable) -> Reader:
    """Return a reader that raises VariableDoesNotExist instead, as for the argument of a filter."""
    read = reader(variable)

    def read_required(context: Context) -> Any:
        value = read(context)
        return variable.resolve(context) if value is MISSING else value

    return read_required


def _name(variable: Variable, name: str, missing: Any) -> Reader:
    def read(context: Context) -> Any:
        for names in reversed(context.dicts):
            if name in names:
                value = names[name]
                return _by_django(variable, context, missing) if callable(value) else value
        # A context has attributes of its own, such as the request.
        return _by_django(variable, context, missing) if name in context.__dict__ else missing

    return read


def _path(variable: Variable, name: str, rest: tuple[str, ...], missing: Any) -> Reader:
    def read(context: Context) -> Any:
        for names in reversed(context.dicts):
            if name in names:
                value = names[name]
                break
        else:
            return _by_django(variable, context, missing) if name in context.__dict__ else missing
        if callable(value):
            return _by_django(variable, context, missing)
        try:
            return _followed(value, rest)
        except VariableDoesNotExist:
            return missing
        except Exception as error:
            if getattr(error, "silent_variable_failure", False):
                return ""
            raise

    return read


def _followed(value: Any, names: tuple[str, ...]) -> Any:
    """Follow a path from a value, reading each part once: what is called on the way may have effects."""
    # What a part is, is not noted per class: the admin makes classes of forms for each request, which would
    # be kept.
    for name in names:
        try:
            value = value[name] if hasattr(type(value), "__getitem__") else getattr(value, name)
        except Exception as error:  # noqa: BLE001 - those of other kinds are raised again
            value = _otherwise(value, name, error)
        if callable(value):
            value = _called(value)
    return value


def _otherwise(value: Any, name: str, error: Exception) -> Any:
    """Return an attribute of a value that has no such item, or an item of one without such an attribute.

    Raises VariableDoesNotExist, or the error where it is of another kind.
    """
    if not hasattr(type(value), "__getitem__"):
        return _numbered(value, name, error)
    if not isinstance(error, _NO_ITEM):
        raise error
    try:
        return _attribute(value, name)
    except (TypeError, AttributeError) as missing:
        return _numbered(value, name, missing)


def _attribute(value: Any, name: str) -> Any:
    if isinstance(value, BaseContext) and getattr(type(value), name):
        raise AttributeError(name)
    return getattr(value, name)


def _numbered(value: Any, name: str, error: Exception) -> Any:
    """Return an item by its number, after the error of reading an attribute. Raises VariableDoesNotExist."""
    if not isinstance(error, (TypeError, AttributeError)):
        raise error
    if type(value) not in _PLAIN and not isinstance(value, BaseContext) and name in dir(value):
        raise error  # by a property
    try:
        return value[int(name)]
    except (IndexError, ValueError, KeyError, TypeError):
        raise VariableDoesNotExist("Failed lookup for key [%s] in %r", (name, value)) from None


def _called(value: Any) -> Any:
    """Call what needs no arguments and changes nothing; the result of others is empty."""
    if getattr(value, "do_not_call_in_templates", False):
        return value
    if getattr(value, "alters_data", False):
        return ""
    try:
        return value()
    except TypeError:
        if _needs_arguments(value):
            return ""
        raise


def _needs_arguments(value: Any) -> bool:
    try:
        signature(value).bind()
    except (TypeError, ValueError):
        return True
    return False


def _by_django(variable: Variable, context: Context, missing: Any) -> Any:
    try:
        return variable.resolve(context)
    except VariableDoesNotExist:
        return missing
