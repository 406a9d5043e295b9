"""Expressions with filters, and the conditions of `{% if %}`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any
from unicodedata import is_normalized

from django.template import Context, Variable
from django.template.base import FilterExpression
from django.template.defaultfilters import truncatechars
from django.template.defaulttags import TemplateLiteral
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.safestring import SafeData, mark_safe

from pages.compiler.lookups import Reader, reader, required
from pages.compiler.texts import per_language

Filter = Callable[[Any, Context], Any]


def expression(given: Any, missing: Any = "") -> Reader:
    """Return the reader of an expression; `missing` stands for a variable that does not exist."""
    first = _first(given, missing)
    steps = [_step(*each) for each in given.filters]
    if not steps:
        return first
    if len(steps) == 1:
        only = steps[0]
        return lambda context: only(first(context), context)

    def read(context: Context) -> Any:
        value = first(context)
        for step in steps:
            value = step(value, context)
        return value

    return read


def is_constant(given: Any) -> bool:
    """Return whether an expression is a number or text without filters, which may be translated."""
    return not given.filters and (not given.is_var or _is_literal(given.var))


def _is_literal(variable: Variable) -> bool:
    return variable.lookups is None and not variable.translate


def _first(given: FilterExpression, missing: Any) -> Reader:
    if not given.is_var:
        return _constant(given.var)
    return _constant(given.var.literal) if _is_literal(given.var) else reader(given.var, missing)


def _constant(value: Any) -> Reader:
    if isinstance(value, Promise):
        return per_language(value.__str__)
    return lambda _context: value


def _step(call: Callable[..., Any], arguments: list[tuple[bool, Any]]) -> Filter:
    """Return the function of a filter with its arguments, which also keeps safe texts safe."""
    readers = [_argument(*each) for each in arguments]
    made = _called(_QUICK.get(call, call), readers, autoescapes=getattr(call, "needs_autoescape", False))
    if getattr(call, "expects_localtime", False):
        made = _localized(made)
    return _keeping_safe(made) if getattr(call, "is_safe", False) else made


def _shortened(value: Any, length: Any) -> Any:
    """Return a text that is short enough as it is, for which Django looks at each character."""
    text = str(value)
    if isinstance(length, int) and 0 < len(text) <= length and is_normalized("NFC", text):
        return text
    return truncatechars(value, length)


_QUICK: dict[Callable[..., Any], Callable[..., Any]] = {truncatechars: _shortened}


def _argument(is_variable: bool, given: Any) -> Reader:
    if not is_variable:
        return _constant(_safe(given))
    return _constant(given.literal) if _is_literal(given) else required(given)


def _called(call: Callable[..., Any], readers: list[Reader], *, autoescapes: bool) -> Filter:
    if autoescapes:
        return lambda value, context: call(
            value, *[read(context) for read in readers], autoescape=context.autoescape
        )
    if not readers:
        return lambda value, _context: call(value)
    (argument,) = readers  # a filter has one at most
    return lambda value, context: call(value, argument(context))


def _localized(made: Filter) -> Filter:
    return lambda value, context: made(
        timezone.template_localtime(value, context.use_tz),  # type: ignore[attr-defined]
        context,
    )


def _keeping_safe(made: Filter) -> Filter:
    def run(value: Any, context: Context) -> Any:
        result = made(value, context)
        return _safe(result) if isinstance(value, SafeData) else result

    return run


def _safe(value: Any) -> Any:
    return mark_safe(value)  # noqa: S308 - what a template has, or a filter that keeps a text safe


def condition(token: Any) -> Reader:
    """Return the reader of a condition. An operator that fails is false, as Django has it."""
    if isinstance(token, TemplateLiteral):
        return expression(token.value, None)
    make = OPERATORS.get(token.id)
    if make is None:
        return token.eval
    return make(*(condition(each) for each in (token.first, token.second) if each))


def compared_text(test: Any) -> tuple[str, str] | None:
    """Return the name of a variable and the text with which a condition compares it; None for others."""
    if getattr(test, "id", "") != "==":
        return None
    if not (isinstance(test.first, TemplateLiteral) and isinstance(test.second, TemplateLiteral)):
        return None
    name: Any = test.first.value
    text: Any = test.second.value
    is_name = name.is_var and not name.filters and not name.var.translate and len(name.var.lookups or ()) == 1
    is_text = not text.is_var and not text.filters and isinstance(text.var, str)
    return (name.var.var, str(text.var)) if is_name and is_text else None


def _either(first: Reader, second: Reader) -> Reader:
    def evaluate(context: Context) -> Any:
        try:
            return first(context) or second(context)
        except Exception:  # noqa: BLE001 - a condition that cannot be evaluated is false
            return False

    return evaluate


def _both(first: Reader, second: Reader) -> Reader:
    def evaluate(context: Context) -> Any:
        try:
            return first(context) and second(context)
        except Exception:  # noqa: BLE001 - see above
            return False

    return evaluate


def _negated(given: Reader) -> Reader:
    def evaluate(context: Context) -> Any:
        try:
            return not given(context)
        except Exception:  # noqa: BLE001 - see above
            return False

    return evaluate


def _compared(compare: Callable[[Any, Any], Any]) -> Callable[[Reader, Reader], Reader]:
    def make(first: Reader, second: Reader) -> Reader:
        def evaluate(context: Context) -> Any:
            try:
                return compare(first(context), second(context))
            except Exception:  # noqa: BLE001 - see above
                return False

        return evaluate

    return make


OPERATORS: dict[str, Callable[..., Reader]] = {
    "or": _either,
    "and": _both,
    "not": _negated,
    "in": _compared(lambda a, b: a in b),
    "not in": _compared(lambda a, b: a not in b),
    "is": _compared(operator.is_),
    "is not": _compared(operator.is_not),
    "==": _compared(operator.eq),
    "!=": _compared(operator.ne),
    ">": _compared(operator.gt),
    ">=": _compared(operator.ge),
    "<": _compared(operator.lt),
    "<=": _compared(operator.le),
}
