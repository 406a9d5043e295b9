"""Random expressions of FEEL's simple subset for tests, each with the value that it has in a state.

The values share no code with the product: numbers are exact fractions, and null is unknown as in SQL, except
that `= null` and `!= null` are true or false.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

State = Mapping[str, Any]
OR, AND, COMPARED, SUM, PRODUCT, ATOM = range(6)
"""How tightly the outermost sign of an expression binds."""

ATTRIBUTES = {"n": "numeric", "m": "integer", "p": "boolean", "q": "boolean"}
STATES: list[dict[str, Any]] = [
    {"n": n, "m": m, "p": p, "q": q}
    for n in (None, -1.5, 0, 2, 10)
    for m in (None, 0, 1, 5, -2, 2147483647)
    for p, q in ((None, True), (True, False), (False, None), (False, False))
]
SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "==": operator.eq, "eq": operator.eq, "!=": operator.ne, "ne": operator.ne,
    "<": operator.lt, "lt": operator.lt, "<=": operator.le, "le": operator.le,
    ">": operator.gt, "gt": operator.gt, ">=": operator.ge, "ge": operator.ge,
}  # fmt: skip


@dataclass(frozen=True)
class Expression:
    """A text, how tightly it binds, and its value in a state."""

    text: str
    level: int
    value: Callable[[State], Any]

    def within(self, level: int) -> str:
        """Return the text as a part of an expression that binds as tightly as `level` says."""
        return self.text if self.level >= level else f"({self.text})"


def unless_null(function: Callable[..., Any], *parts: Expression) -> Callable[[State], Any]:
    """Return the value of a function of parts, which is null where one of them is."""

    def value(state: State) -> Any:
        values = [part.value(state) for part in parts]
        return None if None in values else function(*values)

    return value


def all_of(*values: bool | None) -> bool | None:
    return False if False in values else None if None in values else True


def any_of(*values: bool | None) -> bool | None:
    return True if True in values else None if None in values else False


def negated(value: bool | None) -> bool | None:
    return None if value is None else not value


def quotient(left: Fraction, right: Fraction) -> Fraction | None:
    return left / right if right else None


def contrary(part: Expression) -> Expression:
    """Return `not` of an expression."""
    return Expression(f"not({part.text})", ATOM, lambda state: negated(part.value(state)))


def attribute(name: str) -> Expression:
    def value(state: State) -> Any:
        found = state[name]
        return found if found is None or isinstance(found, bool) else Fraction(str(found))

    return Expression(name, ATOM, value)


def constant(text: str, value: Any) -> Expression:
    return Expression(text, ATOM, lambda _state: value)


NUMBERS = ["0", "1", "2", "10", ".5", "2.75"]
NUMBER_ATOMS = st.sampled_from(
    [attribute("n"), attribute("m"), attribute("m"), *(constant(each, Fraction(each)) for each in NUMBERS)]
)
DIVISORS = st.sampled_from([attribute("m"), *(constant(each, Fraction(each)) for each in ("2", "4", ".5"))])
BOOLEAN_ATOMS = st.sampled_from(
    [attribute("p"), attribute("q"), constant("true", True), constant("false", False)]
)


@st.composite
def calculations(draw: st.DrawFn, inner: st.SearchStrategy[Expression]) -> Expression:
    """Draw a sum, a product, a quotient that is exact, or a negative number."""
    left, right, space = draw(inner), draw(inner), draw(st.sampled_from(["", " "]))
    match draw(st.sampled_from("+-*/n")):
        case "n":
            text = f"-{space}{left.within(ATOM)}"
            return Expression(text, ATOM, unless_null(operator.neg, left))
        case "/":
            right = draw(DIVISORS)
            text = f"{left.within(PRODUCT)}{space}/{space}{right.text}"
            return Expression(text, PRODUCT, unless_null(quotient, left, right))
        case "*":
            text = f"{left.within(PRODUCT)}{space}*{space}{right.within(ATOM)}"
            return Expression(text, PRODUCT, unless_null(operator.mul, left, right))
        case sign:
            text = f"{left.within(SUM)}{space}{sign}{space}{right.within(PRODUCT)}"
            function = operator.add if sign == "+" else operator.sub
            return Expression(text, SUM, unless_null(function, left, right))


NUMERIC = NUMBER_ATOMS | st.recursive(NUMBER_ATOMS, calculations, max_leaves=4)
# The values that attributes have are the ends of many ranges.
ENDS = NUMERIC | st.sampled_from(
    [constant(each, Fraction(each)) for each in ("-2", "0", "1", "2", "5", "10")]
)


@st.composite
def comparisons(draw: st.DrawFn, parts: st.SearchStrategy[Expression], signs: list[str]) -> Expression:
    """Draw a comparison of two values, or of one with null."""
    left, right, sign = draw(parts), draw(parts), draw(st.sampled_from(signs))
    if draw(st.integers(0, 3)):
        text = f"{left.within(SUM)} {sign} {right.within(SUM)}"
        return Expression(text, COMPARED, unless_null(SIGNS[sign], left, right))
    sign = draw(st.sampled_from(["=", "!="]))
    sides = [left.within(SUM), draw(st.sampled_from(["null", "(null)"]))]
    text = f" {sign} ".join(draw(st.permutations(sides)))
    return Expression(text, COMPARED, lambda state: (left.value(state) is None) == (sign == "="))


@st.composite
def memberships(draw: st.DrawFn, parts: st.SearchStrategy[Expression]) -> Expression:
    """Draw a test of a list, or of one value."""
    left, listed = (
        draw(parts),
        draw(st.lists(parts | st.just(constant("null", None)), min_size=1, max_size=3)),
    )
    opened, closed = draw(st.sampled_from(["()", "[]"]))
    text = f"{left.within(SUM)} in {opened}{', '.join(each.within(SUM) for each in listed)}{closed}"
    equal = [unless_null(operator.eq, left, each) for each in listed]
    return Expression(text, COMPARED, lambda state: any_of(*(each(state) for each in equal)))


@st.composite
def ranges(draw: st.DrawFn) -> Expression:
    """Draw a test of a range whose ends are within it or not, or `between`."""
    left, low, high = draw(NUMERIC), draw(ENDS), draw(ENDS)
    first, last = (part.within(SUM) for part in (low, high))
    opened, closed = draw(st.sampled_from(["[", "(", "]"])), draw(st.sampled_from(["]", ")", "["]))
    text = f"{left.within(SUM)} in {opened}{first} .. {last}{closed}"
    signs = (operator.ge if opened == "[" else operator.gt, operator.le if closed == "]" else operator.lt)
    if draw(st.booleans()):
        text, signs = f"{left.within(SUM)} between {first} and {last}", (operator.ge, operator.le)
    ends = [unless_null(sign, left, end) for sign, end in zip(signs, (low, high), strict=True)]
    return Expression(text, COMPARED, lambda state: all_of(*(end(state) for end in ends)))


@st.composite
def joined(draw: st.DrawFn, inner: st.SearchStrategy[Expression]) -> Expression:
    """Draw `and`, `or`, `not` or parentheses."""
    left, right = draw(inner), draw(inner)
    word = draw(st.sampled_from(["and", "&&", "or", "||", "not", "!", "()"]))
    match word:
        case "and" | "&&":
            text = f"{left.within(AND)} {word} {right.within(COMPARED)}"
            return Expression(text, AND, lambda state: all_of(left.value(state), right.value(state)))
        case "or" | "||":
            text = f"{left.text} {word} {right.within(AND)}"
            return Expression(text, OR, lambda state: any_of(left.value(state), right.value(state)))
        case "()":
            return Expression(f"({left.text})", ATOM, left.value)
    return (
        contrary(left) if word == "not" else replace(contrary(left), text=f"!{left.within(ATOM)}", level=AND)
    )


@st.composite
def alternatives(draw: st.DrawFn, inner: st.SearchStrategy[Expression]) -> Expression:
    """Draw one of the forms that have truth values as parts."""
    return draw(joined(inner) | comparisons(inner, ["=", "!=", "==", "eq", "ne"]) | memberships(inner))


CONDITIONS = st.recursive(
    BOOLEAN_ATOMS
    | BOOLEAN_ATOMS.map(contrary)
    | comparisons(NUMERIC, list(SIGNS))
    | memberships(NUMERIC)
    | ranges(),
    alternatives,
    max_leaves=5,
)
