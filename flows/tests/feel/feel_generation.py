"""Random expressions of FEEL with lists, contexts, repetitions and functions, for a comparison with engines.

They are drawn by a fixed seed. Each is valid, and has a value of a known kind.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

ATTRIBUTES = {"m": "integer", "n": "numeric", "z": "numeric", "s": "text", "e": "text", "p": "boolean",
              "u": "boolean", "d": "date", "i": "interval", "ns": "jsonb", "ts": "jsonb", "os": "jsonb",
              "o": "jsonb"}  # fmt: skip
STATE: dict[str, Any] = {
    "m": 7, "n": 2.5, "z": None, "s": "Köln am Rhein", "e": None, "p": True, "u": None, "d": "2026-02-28",
    "i": "PT36H", "ns": [3, 1, 2, 2], "ts": ["b", "a", ""],
    "os": [{"a": 1, "k": "x", "on": True}, {"a": 5, "k": "y", "on": False}, {"a": 3, "k": "x", "on": True}],
    "o": {"a": 4, "k": "x", "in": {"b": 2}, "l": [1, 2]},
}  # fmt: skip
IN_FEEL = {"d": 'date("2026-02-28")', "i": 'duration("PT36H")'}
SEED = 20261129
ENGINES = {"feelin": "8.2.0", "js-feel": "1.4.7"}
ANSWERS = Path(__file__).parents[1] / "corpus" / "feelin-8.2.0-functions.json"
"""What feelin answers to one of EACH expressions, or "error"."""
EACH = 20
_NEW, _BETWEEN = ['""', '"z"', '"[x]"'], ['","', '""', '"; "']
_KEYS = ['"a"', '"b"']
_NULLS = ["z", "e", "u", "m", "s", "o.none", "ns[9]", "[1][2]"]
_SIGNS = ["=", "!=", "<", "<=", ">", ">="]
_TEXTS = ['"a"', '"Köln"', '"foobar"', '""', '"A b"', "s", "s", '"x-y-z"']
_NUMBERS = ["0", "1", "2", "-3", "2.75", "0.5", "10", "m", "n", "-1.5", "100"]
_DATES = ["d", 'date("2026-02-28")', 'date("2024-02-29")', "date(2026, 3, 1)", 'date("2025-12-31")',
          'd + duration("P1M")', 'd - duration("P1D")']  # fmt: skip
_DURATIONS = ["i", 'duration("P1D")', 'duration("PT90M")', 'duration("-PT1H")', 'i + duration("PT12H")']
_MOMENTS = ['date and time("2026-06-01T14:00:00@Europe/Berlin")', 'date and time("2026-06-01T12:00:00Z")',
            'date and time("2026-12-01T07:00:00@America/New_York")',
            'date and time("2026-06-01T08:00:00-04:00")']  # fmt: skip
_TIMES = ['time("10:30:00")', 'time("00:00:00")', "time(10, 30, 0)", "time(23, 59, 59)", '@"08:15:30"',
          'time("23:00:00") + duration("PT2H")', 'time("01:00:00") - duration("PT90M")']  # fmt: skip
_TYPES = ["number", "string", "boolean", "date", "time", "date and time", "days and time duration",
          "years and months duration"]  # fmt: skip
_OF_RANGES = ["meets", "met by", "overlaps", "overlaps before", "overlaps after", "finishes", "finished by",
              "includes", "during", "starts", "started by", "coincides", "before", "after"]  # fmt: skip
_POINT_FIRST, _RANGE_FIRST = ["finishes", "during", "starts"], ["finished by", "includes", "started by"]
_MONTHS = ['duration("P1Y6M")', 'duration("P3M")', 'duration("-P14M")']


class Drawing:
    """Draws expressions of each kind."""

    def __init__(self, seed: int = SEED) -> None:
        self.chance = random.Random(seed)  # noqa: S311 - the same expressions each time

    def of(self, *forms: Callable[[], str] | str) -> str:
        """Return one of some forms."""
        form = self.chance.choice(forms)
        return form if isinstance(form, str) else form()

    def integer(self, low: int = -4, high: int = 4) -> str:
        """Return a whole number that is written out."""
        return str(self.chance.randint(low, high))

    def number(self, depth: int = 2, names: tuple[str, ...] = ()) -> str:
        """Return a number."""
        atoms = [*_NUMBERS, *names, *names]
        if depth == 0:
            return self.chance.choice(atoms)
        one, two = (lambda: self.number(depth - 1, names)), (lambda: self.number(0, names))
        return self.of(
            lambda: self.chance.choice(atoms),
            lambda: f"({one()} {self.chance.choice('+-*')} {one()})",
            lambda: f"({one()} / {self.of('2', '4', 'm', '0')})",
            lambda: f"({two()} ** {self.of('2', '3', '0')})",
            lambda: f"{self.of('abs', 'floor', 'ceiling')}({one()})",
            lambda: f"modulo({one()}, {self.of('2', '3', '-3', '2.5')})",
            lambda: f"{self.rounding()}({one()}, {self.of('0', '1', '2', '-1')})",
            lambda: f"string length({self.text(depth - 1)})",
            lambda: f"count({self.numbers(depth - 1)})",
            lambda: f"{self.of('sum', 'min', 'max', 'mean', 'product')}({self.numbers(depth - 1)})",
            lambda: f"{self.of('sum', 'min', 'max')}({one()}, {two()}, {two()})",
            lambda: f"{self.numbers(depth - 1)}[{self.integer()}]",
            lambda: f"(if {self.truth(depth - 1)} then {one()} else {two()})",
            lambda: f"{{a: {one()}, b: a * 2}}.{self.of('a', 'b')}",
            lambda: f"number({self.of(chr(34) + '12.5' + chr(34), chr(34) + 'x' + chr(34))})",
            lambda: f"{self.date()}.{self.of('year', 'month', 'day', 'weekday')}",
            lambda: f"({self.of(*_DURATIONS)}).{self.of('days', 'hours', 'minutes', 'seconds')}"
            if self.chance.random() < 1 / 2 else f"{self.of(*_MONTHS)}.{self.of('years', 'months')}",
            lambda: f"{self.of('day of year', 'week of year')}({self.date()})",
            lambda: f"sqrt({self.of('4', '2.25', '0', '-1', '16')})",
            lambda: f"count({self.of('ns', 'os', 'ts', 'os[a > 1]', 'ns[item > 1]', 'o.l')})",
            lambda: f"{self.of('median', 'stddev')}({self.numbers(depth - 1)})",
            lambda: f"{self.of('log', 'exp')}({self.of('1', '2', '0', '-1', 'n', '0.5')})",
            lambda: f"mode({self.numbers(0)})[{self.of('1', '-1')}]",
            lambda: f"sort({self.numbers(0)}, {self.function()})[{self.integer()}]",
            lambda: f"({self.of(*_TIMES)}).{self.of('hour', 'minute', 'second')}",
            lambda: f"{self.range()}.{self.of('start', 'end')}",
            lambda: f"get value({{a: {one()}, b: 2}}, {self.of(*_KEYS)})",
            lambda: f"context put({{a: {one()}}}, {self.of(*_KEYS)}, {two()}).{self.of('a', 'b')}",
            lambda: f"context merge([{{a: {one()}}}, {{a: {two()}, b: 1}}]).{self.of('a', 'b')}",
            lambda: f"get entries({{a: {one()}, b: {two()}}})[{self.of('1', '2')}].value",
            lambda: f"context([{{key: {self.of(*_KEYS)}, value: {one()}}}]).{self.of('a', 'b')}",
            lambda: self.of("ns[1]", "ns[-1]", "ns[9]", "os[2].a", "o.a", "o.in.b", "os[k = \"x\"][2].a",
                            "os[a > 4][1].a", "o.none", "os[item.on][1].a"),
            lambda: f"{self.of('sum', 'mean', 'product')}({self.of('ns', 'os.a', 'o.l', 'os[a > 1].a')})",
            lambda: f"{self.of('sum', 'mean')}(for x in os return x.a {self.of('+', '-', '*')} {two()})",
            lambda: f"(for x in ns return x {self.of('+', '-', '*')} {self.number(0)})[{self.of('1', '-1')}]",
            lambda: f"sum({self.of('sublist(ns, 2)', 'append(ns, 5)', 'concatenate(ns, o.l)')})",
        )  # fmt: skip

    def rounding(self) -> str:
        """Return the name of a function that rounds."""
        return self.of("decimal", "round up", "round down", "round half up", "round half down")

    def numbers(self, depth: int = 1) -> str:
        """Return a list of numbers that is written out, or made of one."""
        items = [self.number(0) for _ in range(self.chance.randint(0, 4))]
        written = f"[{', '.join(items)}]"
        if depth <= 0:
            return written
        inner = lambda: self.numbers(depth - 1)  # noqa: E731 - a form among others
        return self.of(
            written,
            written,
            lambda: f"{inner()}[item {self.chance.choice(_SIGNS)} {self.number(0)}]",
            lambda: f"(for x in {inner()} return {self.number(1, ('x',))})",
            lambda: (
                f"(for x in {self.integer(-2, 3)}..{self.integer(-2, 3)} return {self.number(1, ('x',))})"
            ),
            lambda: f"(for x in {inner()}, y in [1, 2] return x {self.of('+', '*', '-')} y)",
            lambda: f"append({inner()}, {self.number(0)})",
            lambda: f"concatenate({inner()}, {written})",
            lambda: f"union({inner()}, {written})",
            lambda: f"distinct values({inner()})",
            lambda: f"reverse({inner()})",
            lambda: f"sublist({written}, {self.of('1', '2', '-1', '-2')})",
            lambda: f"insert before({written}, {self.of('1', '-1')}, {self.number(0)})",
            lambda: f"remove({written}, {self.of('1', '-1')})",
            lambda: f"index of({written}, {self.number(0)})",
            lambda: f"flatten([{written}, {self.number(0)}])",
            lambda: f"sort({written}, {self.function()})",
            lambda: f"mode([{', '.join(self.of('1', '2', '3', '2.5') for _ in items)}])",
            lambda: f"list replace({written}, {self.of('1', '-1', '2')}, {self.number(0)})",
            lambda: f"list replace({written}, function(item, new) item {self.sign()} {self.number(0)}, 5)",
            lambda: f"[{{a: {self.number(0)}}}, {{a: {self.number(0)}}}].a",
            lambda: f"[{{a: {self.number(0)}, b: 1}}, {{a: {self.number(0)}, b: 2}}][a > 1].b",
        )

    def text(self, depth: int = 1) -> str:
        """Return a text."""
        if depth <= 0:
            return self.chance.choice(_TEXTS)
        inner = lambda: self.text(depth - 1)  # noqa: E731 - a form among others
        return self.of(
            lambda: self.chance.choice(_TEXTS),
            lambda: f"({inner()} + {inner()})",
            lambda: f"{self.of('upper case', 'lower case')}({inner()})",
            lambda: f"substring({inner()}, {self.of('1', '2', '3', '-1', '-2', '9')})",
            lambda: f"substring({inner()}, {self.of('1', '2', '-2')}, {self.of('1', '2', '9')})",
            lambda: f"{self.of('substring before', 'substring after')}({inner()}, {self.match()})",
            lambda: f'replace({self.text(0)}, {self.pattern()}, {self.of(*_NEW)})',
            lambda: f"string join([{inner()}, {inner()}], {self.of(*_BETWEEN)})",
            lambda: f"string({self.of('m', 'n', '1.50', 'true', 'd', '-3')})",
            lambda: f"(if {self.truth(0)} then {inner()} else {inner()})",
            lambda: f"split({self.of(chr(34) + 'a-b-c' + chr(34), 's')}, \"-\")[{self.of('1', '2', '-1')}]",
            lambda: f"{self.of('day of week', 'month of year')}({self.date()})",
            lambda: self.of("ts[1]", "ts[-1]", "os[1].k", "o.k", "os[a = 5].k[1]"),
        )  # fmt: skip

    def sign(self) -> str:
        """Return a sign that compares."""
        return self.chance.choice(_SIGNS)

    def function(self) -> str:
        """Return a function that says which of two numbers is before the other."""
        return f"function(x, y) {self.of('x < y', 'x > y', 'x * 2 < y * 2', '-x < -y')}"

    def range(self, points: tuple[str, ...] = ("-1", "0", "1", "2", "3", "m", "n")) -> str:
        """Return a range."""
        low, high = self.chance.choice(points), self.chance.choice(points)
        return f"{self.of('[', '(')}{low}..{high}{self.of(']', ')')}"

    def of_ranges(self) -> str:
        """Return a call of one of the functions of ranges."""
        function = self.chance.choice(_OF_RANGES)
        points = self.of(lambda: "m n 1 2 3 -1 0", lambda: 'd date("2026-03-01") date("2026-02-01")')
        written = tuple(points.split())
        kinds = ["rr"]
        kinds += ["pr"] if function in [*_POINT_FIRST, "before", "after"] else []
        kinds += ["rp"] if function in [*_RANGE_FIRST, "before", "after"] else []
        kinds += ["pp"] if function in ("before", "after", "coincides") else []
        one, two = (self.range(written) if kind == "r" else self.chance.choice(written)
                    for kind in self.chance.choice(kinds))  # fmt: skip
        return f"{function}({one}, {two})"

    def typed(self) -> str:
        """Return a test of a type."""
        value = self.of("m", "s", "p", "d", "i", "1", '"a"', "true", "z", self.of(*_TIMES),
                        self.of(*_MOMENTS), self.of(*_MONTHS), "ns[1]", "os[1].k", "null")  # fmt: skip
        return f"(({value}) instance of {self.of(*_TYPES)})"

    def match(self) -> str:
        """Return a text that is looked for."""
        return self.of('"a"', '"o"', '"ö"', '"bar"', '""', '"x-"', '"Köln"')

    def pattern(self) -> str:
        """Return a regular expression."""
        return self.of('"o+"', '"(a|b)"', '"^K.ln"', '"[a-z]+$"', '"([aeiou])"', '"x.y"')

    def date(self) -> str:
        """Return a date."""
        return self.chance.choice(_DATES[:5])

    def truth(self, depth: int = 1) -> str:
        """Return a condition."""
        sought = ("contains", "starts with", "ends with")
        atoms = ("p", "u", "true", "false", "null", "not(p)", "not(u)")
        if depth <= 0:
            return self.of(
                *atoms[:4], lambda: f"{self.number(0)} {self.chance.choice(_SIGNS)} {self.number(0)}"
            )
        return self.of(
            lambda: f"({self.number(depth - 1)} {self.chance.choice(_SIGNS)} {self.number(depth - 1)})",
            lambda: f"({self.text(depth - 1)} {self.chance.choice(_SIGNS)} {self.text(depth - 1)})",
            lambda: f"({self.truth(depth - 1)} {self.of('and', 'or')} {self.truth(depth - 1)})",
            lambda: f"not({self.truth(depth - 1)})",
            lambda: f"({self.number(0)} in [{self.integer()}..{self.of('4', '9')}])",
            lambda: f"({self.number(0)} in (< {self.integer()}, > 5))",
            lambda: f"({self.number(0)} in {self.numbers(0)})",
            lambda: f"({self.number(0)} between {self.integer(-4, 0)} and {self.integer(0, 9)})",
            lambda: f"({self.of('some', 'every')} x in {self.numbers(depth - 1)} satisfies "
            f"x {self.chance.choice(_SIGNS)} {self.number(0)})",
            lambda: f"(some x in {self.numbers(0)}, y in [1, 2] satisfies x = y)",
            lambda: f"({self.of('some', 'every')} x in os satisfies x.a {self.chance.choice(_SIGNS)} "
            f"{self.of('0', '1', '3', 'm', 'n')})",
            lambda: f"list contains({self.numbers(depth - 1)}, {self.number(0)})",
            lambda: f"list contains({self.of('ns', 'os.a')}, {self.of('1', '9', 'm', 'n')})",
            lambda: f"list contains({self.of('ts', 'os.k')}, {self.of(*_TEXTS)})",
            lambda: f"{self.of(*sought)}({self.text(depth - 1)}, {self.match()})",
            lambda: f"matches({self.text(depth - 1)}, {self.pattern()})",
            lambda: f"{self.of('odd', 'even')}({self.of('m', '2', '3', '-1', '0')})",
            lambda: f"{self.of('all', 'any')}([{self.truth(0)}, {self.truth(0)}])",
            lambda: f"({self.of(*_DATES)} {self.chance.choice(_SIGNS)} {self.of(*_DATES)})",
            lambda: f"({self.of(*_DURATIONS)} {self.chance.choice(_SIGNS)} {self.of(*_DURATIONS)})",
            lambda: f"({self.of(*_NULLS)} {self.of('=', '!=')} null)",
            self.of_ranges,
            self.of_ranges,
            self.typed,
            lambda: f"({self.of(*_MOMENTS)} {self.sign()} {self.of(*_MOMENTS)})",
            lambda: f"({self.of(*_TIMES)} {self.sign()} {self.of(*_TIMES)})",
            lambda: f"(time({self.of(*_MOMENTS)}) {self.sign()} {self.of(*_TIMES)})",
            lambda: f"({self.of(*_TIMES)} - {self.of(*_TIMES)} {self.sign()} {self.of(*_DURATIONS)})",
            lambda: f"is({self.number(0)}, {self.of(lambda: self.number(0), lambda: self.text(0), 'null')})",
            lambda: f"({self.number(0)} in {self.range()})",
            lambda: f"({self.of('min', 'max')}({self.of('ns', 'os.a')}) {self.sign()} {self.number(0)})",
            lambda: f"({self.of('some', 'every')} x in {self.of('ts', 'os.k')} satisfies "
            f"{self.of(*sought)}(x, {self.match()}))",
            lambda: (
                f"count(os[{self.of(*sought)}(k, {self.match()})]) {self.sign()} {self.of('1', '2')}"
            ),
            lambda: (
                f"({self.of('o.a', 'o.k')} {self.of('=', '!=')} {self.of('os[1].a', 'os[1].k', 'ns[1]')})"
            ),
            lambda: f"({self.number(0)} in range(\"{self.range(('-1', '0', '2.5', '7'))}\"))",
            lambda: f"{self.range()}.{self.of('start included', 'end included')}",
            lambda: f"(o.a {self.chance.choice(_SIGNS)} {self.number(0)})",
        )  # fmt: skip

    def any(self) -> str:
        """Return an expression of any kind, deep or shallow."""
        return self.of(
            lambda: self.truth(self.chance.randint(1, 3)),
            lambda: self.number(self.chance.randint(1, 2)),
            lambda: self.text(self.chance.randint(1, 2)),
            lambda: self.numbers(self.chance.randint(1, 2)),
        )


def expressions(number: int = 10_000) -> list[str]:
    """Return expressions, none of them twice, in the order in which they are drawn."""
    drawing = Drawing()
    found: dict[str, None] = {}
    while len(found) < number:
        found |= dict.fromkeys(islice(iter(drawing.any, None), number - len(found)))
    return list(found)
