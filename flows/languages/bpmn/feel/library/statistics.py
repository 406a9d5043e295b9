"""The functions of FEEL for the middle and the spread of numbers (DMN 1.5, 10.3.4.4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from statistics import multimode

from flows.languages.bpmn.feel.library.list_functions import listed_of
from flows.languages.bpmn.feel.lists import NULL, NoValue, Value, as_type, closed, listed, one
from flows.languages.bpmn.feel.values import NUMBERS, Part

_WRITTEN = re.compile(r"\(*-?(?:\d+(?:\.\d+)?|\.\d+)\)*")


def _numbers(value: Value) -> list[str] | None:
    """Return the numbers of a list whose length is known, None where one is null. Raises NoValue."""
    parts = [as_type(one(each), "numeric") for each in listed_of(value).values()]
    for part in parts:
        if part != NULL and part.type not in NUMBERS | {""}:
            raise NoValue(f"A number is expected, not a value of type {part.type}.")
    return None if NULL in parts else [f"{closed(part)}::numeric" for part in parts]


def _unless_null(numbers: list[str], text: str) -> Part:
    unknown = " or ".join(f"{each} is null" for each in numbers)
    return Part(f"(case when not ({unknown}) then {text} end)", "numeric")


def _ranked(numbers: list[str], rank: int) -> str:
    """Return the number that has this many below it; equal ones are in the order of the list."""
    cases = []
    for at, number in enumerate(numbers):
        below = [
            f"(case when {other} {'<=' if place < at else '<'} {number} then 1 else 0 end)"
            for place, other in enumerate(numbers)
            if place != at
        ]
        cases.append(f"when {' + '.join(below) or '0'} = {rank} then {number}")
    return f"(case {' '.join(cases)} end)"


def median(value: Value) -> Value:
    """Return the middle number, or the mean of the two in the middle; null of an empty list."""
    numbers = _numbers(value)
    if not numbers:
        return NULL
    half = len(numbers) // 2
    found = _ranked(numbers, half)
    if len(numbers) % 2 == 0:
        found = f"(({_ranked(numbers, half - 1)} + {found}) / 2)"
    return _unless_null(numbers, found)


def deviation(value: Value) -> Value:
    """Return the standard deviation of a sample, null of fewer than two numbers."""
    numbers = _numbers(value)
    if numbers is None or len(numbers) < len(("one", "two")):
        return NULL
    mean = f"(({' + '.join(numbers)}) / {len(numbers)})"
    squares = " + ".join(f"power({each} - {mean}, 2)" for each in numbers)
    return _unless_null(numbers, f"sqrt(({squares}) / {len(numbers) - 1})")


def mode(value: Value) -> Value:
    """Return the numbers that are there most often, from the least to the greatest.

    The place of a number is the number of those below it. Of equal ones, the first counts.
    """
    numbers = _numbers(value)
    if numbers is None:
        return NULL
    plain = [each.removesuffix("::numeric") for each in numbers]
    if all(_WRITTEN.fullmatch(each) for each in plain):
        often = multimode(Decimal(each.strip("()")) for each in plain)
        return listed(Part(str(each), "numeric") for each in sorted(often))
    places, counts, firsts = (
        [form(plain, at) for at in range(len(plain))] for form in (_place, _times, _first)
    )
    most = f"greatest({', '.join(counts)})"
    kept, found = [], []
    for wanted in range(len(plain)):
        rows = [*zip(places, counts, firsts, numbers, strict=True)]
        kept.append(_chosen((place, f"({count} = {most}{first})") for place, count, first, _ in rows)(wanted))
        found.append(Part(_chosen((place, number) for place, _, _, number in rows)(wanted), "numeric"))
    return listed(found).kept(kept)


def _chosen(rows: Iterable[tuple[str, str]]) -> Callable[[int], str]:
    pairs = [*rows]
    return lambda wanted: (
        "(case " + " ".join(f"when {place} = {wanted} then {then}" for place, then in pairs) + " end)"
    )


def _place(numbers: list[str], at: int) -> str:
    tests = [_counted(each, "<=" if place < at else "<", numbers[at]) for place, each in enumerate(numbers)
             if place != at]  # fmt: skip
    return _sum(tests)


def _times(numbers: list[str], at: int) -> str:
    tests = [_counted(each, "=", numbers[at]) for place, each in enumerate(numbers) if place != at]
    return f"({_sum(tests)})"


def _first(numbers: list[str], at: int) -> str:
    return "".join(f" and {each} <> {numbers[at]}" for each in numbers[:at])


def _counted(left: str, sign: str, right: str) -> str:
    """Return 1 where a comparison holds and 0 where it does not, known ones as a number."""
    if not (_WRITTEN.fullmatch(left) and _WRITTEN.fullmatch(right)):
        return f"({left} {sign} {right})::integer"
    first, second = Decimal(left.strip("()")), Decimal(right.strip("()"))
    return str(int(first == second if sign == "=" else first < second or (sign == "<=" and first == second)))


def _sum(tests: list[str]) -> str:
    known = sum(int(each) for each in tests if each.isdecimal())
    return (
        " + ".join([*(each for each in tests if not each.isdecimal()), *([str(known)] if known else [])])
        or "0"
    )


FUNCTIONS: dict[str, tuple[str, Callable[..., Value]]] = {
    "median": ("list", median),
    "stddev": ("list", deviation),
    "mode": ("list", mode),
}
