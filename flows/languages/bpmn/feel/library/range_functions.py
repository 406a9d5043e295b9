"""The functions of FEEL for the order of points and ranges (DMN 1.5, 10.3.4.7).

Each is a conjunction of comparisons of ends: `_less` and its like choose the sign by which ends belong to the
ranges. A comparison with null is unknown, as everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flows.languages.bpmn.feel.comparisons import compared
from flows.languages.bpmn.feel.lists import NULL, NoValue, Ranged, Value, closed, one
from flows.languages.bpmn.feel.values import Part
from flows.languages.bpmn.feel.words import NotSimple

_Form = Callable[..., str]


def _test(left: Part, sign: str, right: Part) -> str:
    try:
        return str(compared(closed(left), sign, closed(right), 1))
    except NotSimple as error:
        raise NoValue(str(error)) from error


def _less(left: Part, right: Part, or_equal: bool) -> str:
    return _test(left, "<=" if or_equal else "<", right)


def _equal(left: Part, right: Part, if_: bool = True) -> str:
    return _test(left, "=", right) if if_ else "false"


def _all(*tests: str) -> str:
    return f"({' and '.join(tests)})"


def _any(*tests: str) -> str:
    return f"({' or '.join(each for each in tests if each != 'false') or 'false'})"


def _before(one_: Value, other: Value) -> str:
    left, with_left = (one_.high, one_.with_high) if isinstance(one_, Ranged) else (one(one_), True)
    right, with_right = (other.low, other.with_low) if isinstance(other, Ranged) else (one(other), True)
    return _all(_less(left, right, not (with_left and with_right)))


def _meets(first: Ranged, second: Ranged) -> str:
    return _all(_equal(first.high, second.low, first.with_high and second.with_low))


def _overlaps(first: Ranged, second: Ranged) -> str:
    return _all(
        _less(second.low, first.high, first.with_high and second.with_low),
        _less(first.low, second.high, first.with_low and second.with_high),
    )


def _overlaps_before(first: Ranged, second: Ranged) -> str:
    return _all(
        _less(first.low, second.low, first.with_low and not second.with_low),
        _less(second.low, first.high, first.with_high and second.with_low),
        _less(first.high, second.high, second.with_high or not first.with_high),
    )


def _finishes(first: Value, second: Ranged) -> str:
    if not isinstance(first, Ranged):
        return _all(_equal(one(first), second.high, second.with_high))
    return _all(
        _equal(first.high, second.high, first.with_high == second.with_high),
        _less(second.low, first.low, second.with_low or not first.with_low),
    )


def _starts(first: Value, second: Ranged) -> str:
    if not isinstance(first, Ranged):
        return _all(_equal(one(first), second.low, second.with_low))
    return _all(
        _equal(first.low, second.low, first.with_low == second.with_low),
        _less(first.high, second.high, second.with_high or not first.with_high),
    )


def _during(first: Value, second: Ranged) -> str:
    if isinstance(first, Ranged):
        return _all(
            _less(second.low, first.low, second.with_low or not first.with_low),
            _less(first.high, second.high, second.with_high or not first.with_high),
        )
    point = one(first)
    return _any(
        _all(_less(second.low, point, or_equal=False), _less(point, second.high, or_equal=False)),
        _equal(point, second.low, second.with_low),
        _equal(point, second.high, second.with_high),
    )


def coincides(first: Value, second: Value) -> str:
    """Return the test whether two points, or two ranges, are equal."""
    if not isinstance(first, Ranged) or not isinstance(second, Ranged):
        return _all(_equal(one(first), one(second)))
    return _all(
        _equal(first.low, second.low, first.with_low == second.with_low),
        _equal(first.high, second.high, first.with_high == second.with_high),
    )


def _turned(form: _Form) -> _Form:
    return lambda first, second: form(second, first)


# The test, and which kinds of arguments it has: p a point, r a range.
_FORMS: dict[str, tuple[Callable[..., str], str]] = {
    "before": (_before, "pp pr rp rr"),
    "after": (_turned(_before), "pp pr rp rr"),
    "meets": (_meets, "rr"),
    "met by": (_turned(_meets), "rr"),
    "overlaps": (_overlaps, "rr"),
    "overlaps before": (_overlaps_before, "rr"),
    "overlaps after": (_turned(_overlaps_before), "rr"),
    "finishes": (_finishes, "pr rr"),
    "finished by": (_turned(_finishes), "rp rr"),
    "includes": (_turned(_during), "rp rr"),
    "during": (_during, "pr rr"),
    "starts": (_starts, "pr rr"),
    "started by": (_turned(_starts), "rp rr"),
    "coincides": (coincides, "pp rr"),
}
_ARGUMENTS = 2
NAMES = frozenset(_FORMS)
_WORDS = {"p": "a point", "r": "a range"}


def compare(function: str, values: Sequence[Value], names: Sequence[str]) -> Value:
    """Return the value of one of these functions. Raises NoValue for other arguments than it has."""
    form, kinds = _FORMS[function]
    if len(values) != _ARGUMENTS:
        raise NoValue(f"The number of arguments of “{function}” is {_ARGUMENTS}.")
    first, second = _ordered(function, kinds.split(), values, names)
    if NULL in (first, second):
        return NULL
    given = "".join("r" if isinstance(each, Ranged) else "p" for each in (first, second))
    if given not in kinds.split():
        raise NoValue(f"The arguments of “{function}” are {_listed(kinds.split())}.")
    ends = [end for each in (first, second) if isinstance(each, Ranged) for end in (each.low, each.high)]
    return NULL if NULL in ends else Part(form(first, second), "boolean")


def _listed(kinds: list[str]) -> str:
    return ", or ".join(" and ".join(_WORDS[each] for each in kind) for kind in kinds)


def _ordered(
    function: str, kinds: list[str], values: Sequence[Value], names: Sequence[str]
) -> Sequence[Value]:
    """Return the arguments in their order: by the numbers of their names, or as the function has them."""
    if not names:
        return values
    letters = "".join(each[:1] for each in names)
    numbered = {f"{word}{number}" for word in ("point", "range") for number in (1, 2)}
    if set(names) in ({"point1", "point2"}, {"range1", "range2"}) and set(names) <= numbered:
        pairs = dict(zip(names, values, strict=True))
        return [pairs[each] for each in sorted(pairs)]
    if set(names) == {"point", "range"}:
        return values if letters in kinds else values[::-1]
    raise NoValue(f"The arguments of “{function}” are {_listed(kinds)}.")
