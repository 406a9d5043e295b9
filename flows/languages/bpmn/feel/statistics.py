"""The functions of FEEL for the middle and the spread of numbers (DMN 1.5, 10.3.4.4)."""

from __future__ import annotations

from collections.abc import Callable

from flows.languages.bpmn.feel.list_functions import listed_of
from flows.languages.bpmn.feel.lists import NULL, NoValue, Value, as_type, closed, one
from flows.languages.bpmn.feel.values import NUMBERS, Part


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


FUNCTIONS: dict[str, tuple[str, Callable[..., Value]]] = {
    "median": ("list", median),
    "stddev": ("list", deviation),
}
