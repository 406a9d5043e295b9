"""Expressions with filters, and the conditions of `{% if %}`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from django.template import Context
from django.template.base import FilterExpression
from django.template.defaulttags import TemplateLiteral
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.safestring import SafeData, mark_safe

from pages.compiler.lookups import MISSING, Reader, reader, required
from pages.compiler.texts import per_language


class Step(NamedTuple):
    """A filter with the readers of its arguments, and what it asks of the engine."""

    call: Callable[..., Any]
    arguments: tuple[Reader, ...]
    local_time: bool
    autoescape: bool
    keeps_safe: bool


def expression(given: Any, missing: Any = "") -> Reader:
    """Return the reader of an expression; `missing` stands for a variable that does not exist."""
    first = _first(given, missing)
    if not given.filters:
        return first
    steps = [_step(*each) for each in given.filters]

    def read(context: Context) -> Any:
        value = first(context)
        for step in steps:
            value = _filtered(step, value, context)
        return value

    return read


def _first(given: FilterExpression, missing: Any) -> Reader:
    if not given.is_var:
        return _constant(given.var)
    if given.var.lookups is None and not given.var.translate:
        return _constant(given.var.literal)
    read = reader(given.var)

    def read_first(context: Context) -> Any:
        value = read(context)
        return missing if value is MISSING else value

    return read_first


def _constant(value: Any) -> Reader:
    if isinstance(value, Promise):
        return per_language(value.__str__)
    return lambda _context: value


def _step(call: Callable[..., Any], arguments: list[tuple[bool, Any]]) -> Step:
    readers = tuple(required(each) if is_var else _constant(_safe(each)) for is_var, each in arguments)
    flags = (getattr(call, name, False) for name in ("expects_localtime", "needs_autoescape", "is_safe"))
    return Step(call, readers, *flags)


def _filtered(step: Step, value: Any, context: Context) -> Any:
    call, arguments, local_time, autoescape, keeps_safe = step
    values = [read(context) for read in arguments]
    if local_time:
        value = timezone.template_localtime(value, context.use_tz)  # type: ignore[attr-defined]
    named = {"autoescape": context.autoescape} if autoescape else {}
    result = call(value, *values, **named)
    return _safe(result) if keeps_safe and isinstance(value, SafeData) else result


def _safe(value: Any) -> Any:
    return mark_safe(value)  # noqa: S308 - what a template has, or a filter that keeps a text safe


def condition(token: Any) -> Reader:
    """Return the reader of a condition. An operator that fails is false, as Django has it."""
    if isinstance(token, TemplateLiteral):
        return expression(token.value, None)
    make = OPERATORS.get(token.id)
    if make is None:
        return token.eval
    return _false_if_failing(make(*(condition(each) for each in (token.first, token.second) if each)))


def _false_if_failing(read: Reader) -> Reader:
    def evaluate(context: Context) -> Any:
        try:
            return read(context)
        except Exception:  # noqa: BLE001 - a condition that cannot be evaluated is false
            return False

    return evaluate


OPERATORS: dict[str, Callable[..., Reader]] = {
    "or": lambda a, b: lambda context: a(context) or b(context),
    "and": lambda a, b: lambda context: a(context) and b(context),
    "not": lambda a: lambda context: not a(context),
    "in": lambda a, b: lambda context: a(context) in b(context),
    "not in": lambda a, b: lambda context: a(context) not in b(context),
    "is": lambda a, b: lambda context: a(context) is b(context),
    "is not": lambda a, b: lambda context: a(context) is not b(context),
    "==": lambda a, b: lambda context: a(context) == b(context),
    "!=": lambda a, b: lambda context: a(context) != b(context),
    ">": lambda a, b: lambda context: a(context) > b(context),
    ">=": lambda a, b: lambda context: a(context) >= b(context),
    "<": lambda a, b: lambda context: a(context) < b(context),
    "<=": lambda a, b: lambda context: a(context) <= b(context),
}
