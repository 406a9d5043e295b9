"""The functions of FEEL for points and ranges, beside ranges that are sets of numbers."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import pytest

from flows.languages.bpmn.feel import NotSimple, to_sql
from flows.tests.feel.feel_answers import Answers
from flows.tests.feel.feel_generation import ATTRIBUTES

_STEP, _TO = Fraction(1, 4), 16
GRID = [number * _STEP for number in range(2, _TO)]
FUNCTIONS = ["before", "after", "meets", "met by", "overlaps", "overlaps before", "overlaps after",
             "finishes", "finished by", "includes", "during", "starts", "started by",
             "coincides"]  # fmt: skip
# What an attribute, a date or a text has the place of a number for.
WRITTEN = [{1: "1", 2: "2", 3: "3"}, {1: "n - 1.5", 2: "2", 3: "m - 4"},
           {1: "d", 2: 'date("2026-03-01")', 3: 'd + duration("P2D")'}, {1: '"a"', 2: '"b"', 3: '"c"'},
           {1: 'time("10:00:00")', 2: 'time("10:00:00.5")', 3: 'time("11:00:00")'}]  # fmt: skip


@dataclass(frozen=True)
class Span:
    """A range, or a point, whose ends are numbers."""

    low: int
    high: int
    with_low: bool = True
    with_high: bool = True
    point: bool = False

    def text(self, written: dict[int, str]) -> str:
        """Return it as FEEL."""
        if self.point:
            return written[self.low]
        ends = "[" if self.with_low else "(", "]" if self.with_high else ")"
        return f"{ends[0]}{written[self.low]}..{written[self.high]}{ends[1]}"

    def set(self) -> set[Fraction]:
        """Return the numbers of a grid that are in it."""
        inner = {each for each in GRID if self.low < each < self.high}
        ends = ((self.low, self.with_low), (self.high, self.with_high))
        return inner | {Fraction(end) for end, included in ends if included}


SPANS = [
    Span(low, high, *ends)
    for low, high in ((1, 2), (2, 3), (1, 3))
    for ends in product([True, False], repeat=2)
]
SPANS += [Span(number, number) for number in (1, 2, 3)]
POINTS = [Span(number, number, point=True) for number in (1, 2, 3)]


def _before(one: Span, other: Span) -> bool:
    return max(one.set()) < min(other.set())


def _same_end(one: Span, other: Span) -> bool:
    return max(one.set()) == max(other.set())


def _same_start(one: Span, other: Span) -> bool:
    return min(one.set()) == min(other.set())


def _overlaps_before(one: Span, other: Span) -> bool:
    return (
        min(one.set()) < min(other.set())
        and bool(one.set() & other.set())
        and max(one.set()) <= max(other.set())
    )


REFERENCE: dict[str, Callable[[Span, Span], bool]] = {
    "before": _before,
    "meets": lambda one, other: one.high == other.low and one.with_high and other.with_low,
    "overlaps": lambda one, other: bool(one.set() & other.set()),
    "overlaps before": _overlaps_before,
    "finishes": lambda one, other: _same_end(one, other) and one.set() <= other.set(),
    "during": lambda one, other: one.set() <= other.set(),
    "starts": lambda one, other: _same_start(one, other) and one.set() <= other.set(),
    "coincides": lambda one, other: one.set() == other.set(),
}
TURNED = {"after": "before", "met by": "meets", "finished by": "finishes", "includes": "during",
          "started by": "starts", "overlaps after": "overlaps before"}  # fmt: skip


def expected(function: str, one: Span, other: Span) -> bool:
    """Return the value of a function of two sets of numbers."""
    if function in TURNED:
        return REFERENCE[TURNED[function]](other, one)
    return REFERENCE[function](one, other)


def arguments(function: str) -> Iterable[tuple[Span, Span]]:
    """Return all pairs of arguments that a function has."""
    if function not in ("meets", "met by", "overlaps", "overlaps before", "overlaps after", "coincides"):
        first_is_point = function in ("before", "after", "finishes", "during", "starts")
        yield from product(POINTS, SPANS) if first_is_point else product(SPANS, POINTS)
    if function in ("before", "after", "coincides"):
        yield from product(POINTS, POINTS)
    if function in ("before", "after"):
        yield from product(SPANS, POINTS)
    yield from product(SPANS, SPANS)


@pytest.mark.django_db
def test_a_function_of_ranges_says_what_is_so_of_sets_of_numbers() -> None:
    draw = random.Random(15)  # noqa: S311 - the same pairs each time
    wanted: dict[str, bool] = {}
    for function in FUNCTIONS:
        pairs = [*arguments(function)]
        for written in WRITTEN:
            texts = []
            for one, other in draw.sample(pairs, 24):
                value = str(expected(function, one, other)).lower()
                texts.append(f"{function}({one.text(written)}, {other.text(written)}) = {value}")
            wanted |= {f"({' and '.join(texts[at : at + 8])})": True for at in (0, 8, 16)}
    found = Answers()
    found.ask(wanted)
    assert {
        text: found.held.get(text, found.refused.get(text)) for text in wanted if found.held.get(text) != "t"
    } == {}


VALUES = {
    "before(z, [1..2])": None, "includes([1..z], 0)": None, "includes([1..z], 5)": None,
    "includes([1..m], null)": None, "overlaps(null, [1..2])": None, "before([1..null], 5)": None,
    "includes(range: [1..3], point: 3)": True, "includes(point: 3, range: [1..3])": True,
    "before(point1: 1, point2: 2)": True, "before(point2: 1, point1: 2)": False,
    "meets(range2: [2..3], range1: [1..2])": True, "before(point: 1, range: ]1..2])": True,
    "[1..3].start + [1..m].end": 8, "]1..3].start included": False, "]1..3].end included": True,
    "{r: ]1..3]}.r.end": 3, "m in {r: [1..7[}.r": False, "m in {r: [1..7]}.r": True,
    "[1..m] = [1..7]": True, "]1..m] = [1..7]": False, "[1..3] != [1..4]": True, "[1..z] = [1..2]": None,
    "{inside: during(m, [5..9])}.inside": True, "(for r in [[1..2], [5..9]] return includes(r, m))[2]": True,
    "(some r in [[1..2], [5..9]] satisfies m in r)": True, "not(includes([3..1], 2))": True,
    "([1..3] instance of list)": False,
}  # fmt: skip
REFUSED = [
    ("finishes([1..2], 3)", "The arguments of “finishes” are a point and a range"),
    ("meets(1, [1..2])", "The arguments of “meets” are a range and a range"),
    ("overlaps([1..2])", "number of arguments of “overlaps” is 2"),
    ("coincides(range: [1..2], other: 1)", "The arguments of “coincides”"),
    ("[1..2].length", "no part"), ("[1..2] > 3", "A range is no value"),
    ("[1..2] + 1", "A range is no value"),
    ("during(duration(\"P1D\"), [duration(\"P1M\")..i])", "not comparable"),
    ("before(\"a\", [1..m])", "not comparable"), ("[1, ]", "A value is expected"),
]  # fmt: skip


@pytest.mark.django_db
def test_ranges_have_ends_parts_and_unknown_comparisons() -> None:
    found = Answers()
    found.ask(VALUES)
    assert {text: (found.held.get(text), found.refused.get(text)) for text in VALUES
            if found.held.get(text) != "t"} == {}  # fmt: skip


@pytest.mark.parametrize(("text", "said"), REFUSED)
def test_ranges_that_have_no_answer_are_refused_with_their_place(text: str, said: str) -> None:
    with pytest.raises(NotSimple, match=said) as caught:
        to_sql(text, ATTRIBUTES)
    assert 1 <= caught.value.position <= len(text)
