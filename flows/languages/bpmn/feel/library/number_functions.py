"""The functions of FEEL for numbers (DMN 1.5, 10.3.4.5), and `not`."""

from __future__ import annotations

from collections.abc import Callable

from flows.languages.bpmn.feel.lists import NULL, NoValue, Value, as_type, whole
from flows.languages.bpmn.feel.values import NUMBERS, Part

_MOST_DIGITS = 20


def _number(part: Part) -> str:
    """Return a number that has no largest value. Raises NoValue for a value of another type."""
    found = as_type(part, "numeric")
    if found.type not in NUMBERS | {""}:
        raise NoValue(f"A number is expected, not a value of type {found.type}.")
    return f"({found})::numeric"


def _simple(form: str, type_: str = "numeric") -> Callable[[Part], Part]:
    def function(part: Part) -> Part:
        return NULL if part == NULL else Part(form.format(_number(part)), type_)

    return function


def _scaled(form: str, *, needs_scale: bool = True) -> Callable[..., Part]:
    """Return a function that rounds a number at a digit: `{n}` moved by `{s}`, with the sign of it."""

    def function(part: Part, scale: Part | None = None) -> Part:
        if part == NULL or scale == NULL:
            return NULL
        digits = whole(scale) if scale is not None else 0
        if digits is None or abs(digits) > _MOST_DIGITS or (scale is None and needs_scale):
            raise NoValue(
                f"The scale is a whole number from -{_MOST_DIGITS} to {_MOST_DIGITS} that is written out."
            )
        number = _number(part)
        if digits > 0:
            moved, back = f"({number} * 1{'0' * digits})", f" / 1{'0' * digits}"
        elif digits < 0:
            moved, back = f"({number} / 1{'0' * -digits})", f" * 1{'0' * -digits}"
        else:
            moved, back = number, ""
        return Part(f"({form.format(moved)}{back})", "numeric")

    return function


_HALF_EVEN = "(case when abs({0}) % 1 = 0.5 then round({0} / 2) * 2 else round({0}) end)"


def size(part: Part) -> Part:
    """Return a number or a duration without its sign."""
    if part == NULL or part.type != "interval":
        return NULL if part == NULL else Part(f"abs({_number(part)})", "numeric")
    return Part(f"greatest({part}, -({part}))", "interval", part.months)


def modulo(dividend: Part, divisor: Part) -> Part:
    """Return the rest of a division, which has the sign of the divisor."""
    if NULL in (dividend, divisor):
        return NULL
    left, right = _number(dividend), f"nullif({_number(divisor)}, 0)"
    return Part(f"({left} - {right} * floor({left} / {right}))", "numeric")


FUNCTIONS: dict[str, tuple[str, Callable[..., Value]]] = {
    "decimal": ("n, scale", _scaled(_HALF_EVEN)),
    "floor": ("n, scale?", _scaled("floor({0})", needs_scale=False)),
    "ceiling": ("n, scale?", _scaled("ceil({0})", needs_scale=False)),
    "round up": ("n, scale", _scaled("(sign({0}) * ceil(abs({0})))")),
    "round down": ("n, scale", _scaled("trunc({0})")),
    "round half up": ("n, scale", _scaled("round({0})")),
    "round half down": ("n, scale", _scaled("(sign({0}) * ceil(abs({0}) - 0.5))")),
    "abs": ("n", size),
    "modulo": ("dividend, divisor", modulo),
    "sqrt": ("number", _simple("sqrt(case when {0} >= 0 then {0} end)")),
    "log": ("number", _simple("ln(case when {0} > 0 then {0} end)")),
    "exp": ("number", _simple("exp(case when {0} < 1000 then {0} end)")),
    "odd": ("number", _simple("(abs({0}) % 2 = 1)", "boolean")),
    "even": ("number", _simple("({0} % 2 = 0)", "boolean")),
}
