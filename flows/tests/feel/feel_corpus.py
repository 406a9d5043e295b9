"""Expressions of FEEL for a comparison with other engines: each is valid, and a condition.

They are drawn by a fixed seed, so that what an engine answered to them can be kept in a file.
"""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass
from itertools import product
from pathlib import Path

FEELIN = Path(__file__).parents[1] / "corpus" / "feelin-8.2.0.json"
"""What feelin 8.2.0 answers to each expression: true, false, null, or "error"."""

ATTRIBUTES = {"m": "integer", "n": "numeric", "z": "numeric", "s": "text", "e": "text", "p": "boolean",
              "u": "boolean", "d": "date", "t": "timestamptz", "i": "interval"}  # fmt: skip
STATE = {"m": 2147483647, "n": 0.1, "z": None, "s": "Köln", "e": None, "p": True, "u": None,
         "d": "2026-02-28", "t": "2026-10-25T00:30:00Z", "i": "PT36H"}  # fmt: skip
IN_FEEL = {"d": 'date("2026-02-28")', "t": 'date and time("2026-10-25T00:30:00Z")', "i": 'duration("PT36H")'}
"""How an engine of FEEL gets the attributes whose values JSON does not have."""

NUMBERS = ["0", "1", "2", "-3", "2.75", ".5", "0.3", "10", "m", "n", "z", "m + 1", "n + 0.2",
           "m * m", "7 / 2", "1 / 0", "m / 2", "1 / 3 * 3", "-n", "n - n", "n * 3",
           "99999999999999999999"]  # fmt: skip
TEXTS = ['"a"', '"B"', '"Z"', '"é"', '"Köln"', r'"K\u00f6ln"', r'"a\"b"', '""', "s", "e", 's + "!"']
DATES = ["d", 'date("2026-02-28")', 'date("2026-03-01")', 'date("2024-02-29")', 'd + duration("P1D")',
         'd - duration("P1M")', 'd + duration("P1Y")', 'date("2026-01-31") + duration("P1M")',
         'date("2024-02-29") + duration("P1Y")']  # fmt: skip
MOMENTS = ["t", 'date and time("2026-10-25T00:30:00Z")', 'date and time("2026-10-25T02:30:00+02:00")',
           'date and time("2026-10-25T02:30:00+01:00")', 't + duration("PT1H")', 't - duration("P1D")',
           't + duration("P1M")', 'date and time("2026-03-29T01:30:00Z")']  # fmt: skip
DAYS = ["i", 'duration("P1D")', 'duration("PT24H")', 'duration("P200D")', 'duration("P201D")',
        'duration("-PT1H")', 'duration("PT0S")', 'duration("PT36H")', 'i * 2', 'i / 2',
        'i + duration("PT1H")', '-i', 'd - date("2026-02-01")',
        't - date and time("2026-10-24T00:30:00Z")']  # fmt: skip
MONTHS = ['duration("P1Y")', 'duration("P12M")', 'duration("P1M")', 'duration("-P1M")', 'duration("P1Y6M")',
          'duration("P1M") + duration("P1M")', 'duration("P6M") * 2']  # fmt: skip
TRUTHS = ["p", "u", "true", "false", "not(p)", "not(u)", "(1 = 1)", "(n > 5)"]
EXACT = ["n + 0.2 = 0.3", "n * 3 = 0.3", "9007199254740993 = 9007199254740992", "m * m * m * 2 > m * m * m",
         "1 / 3 * 3 = 1", "10 / 4 = 2.5", "7 / 2 * 2 = 7", "m + 1 = 2147483648", "1.10 = 1.1"]  # fmt: skip
ORDERED = {"numbers": NUMBERS, "texts": TEXTS, "dates": DATES, "moments": MOMENTS, "durations of days": DAYS,
           "durations of months": MONTHS}  # fmt: skip
SIGNS = ["=", "!=", "<", "<=", ">", ">="]
SEED, EACH = 20260601, 14


def expressions() -> list[str]:
    """Return the expressions, none of them twice, in the order in which they are drawn."""
    chance = random.Random(SEED)  # noqa: S311 - the same expressions each time
    found = [text for kind in ORDERED.values() for text in _about(kind, chance)]
    found += [f"{left} {word} {right}" for word in ("and", "or", "=", "!=")
              for left, right in chance.sample(list(product(TRUTHS, TRUTHS)), EACH)]  # fmt: skip
    found += [f"{each} {sign} null" for each in "mzsepudti" for sign in ("=", "!=")]
    return list(dict.fromkeys([*found, *EXACT]))


def feelin() -> dict[str, object]:
    """Return what feelin answered."""
    found: dict[str, object] = json.loads(FEELIN.read_text(encoding="utf-8"))
    return found


def _about(values: list[str], chance: random.Random) -> list[str]:
    """Return conditions on values of one type: comparisons, ranges with each of their ends, lists."""
    found = []
    for _ in range(EACH):
        one, two, three = (chance.choice(values) for _ in range(3))
        for sign in chance.sample(SIGNS, 2):
            found.append(f"{one} {sign} {two}")
        opened, closed = chance.choice("[(]"), chance.choice("])[")
        found.append(f"{one} in {opened}{two}..{three}{closed}")
        found.append(f"{one} between {two} and {three}")
        found.append(f"{one} in ({two}, {three})")
        found.append(f"not({one} {chance.choice(SIGNS)} {two})")
    return found


@dataclass(frozen=True)
class Kind:
    """A kind of difference: an example, and the rule of DMN 1.5 that is followed."""

    what: str
    example: str
    source: str


NULL = re.compile(r"\b[zeu]\b|\b1 / 0\b")
RANGE = re.compile(r"\bbetween\b|\.\.")
SCALED = re.compile(r"\) \* 2|\bi [*/] 2|(?<![\w\"])-i\b")
SCALE = Kind("a duration times or divided by a number, or with a minus", "i / 2 <= i",
             "10.3.2.15, Tables 59 and 62: a duration")  # fmt: skip
EMPTY = Kind("a range of one value that it excludes",
             't - duration("P1D") in [t + duration("PT1H")..t + duration("PT1H")[',
             "10.3.2.15, Table 55: two comparisons")  # fmt: skip
REVERSED = Kind("a range, or `between`, whose first end is the greater one", "n * 3 between m / 2 and -n",
                "10.3.2.15, Table 55: two comparisons")  # fmt: skip
OPEN = Kind("a range, or `between`, with an end that is null", "0.3 between z and -3",
            "10.3.2.15, Tables 50 and 55: false if the other comparison is false, else null")  # fmt: skip
UNLIKE = Kind("equality of a value and an attribute, or a result, that is null", "0.3 = z",
              "10.3.2.15, Table 52: null, as the kinds differ; `= null` is a test of its own")  # fmt: skip
DECIMAL = Kind("decimals", "n + 0.2 = 0.3", "10.3.2.3.1: numbers are decimal, not binary")
KINDS = [REVERSED, OPEN, EMPTY, UNLIKE, SCALE, DECIMAL]


def kind(text: str, ours: bool | None, theirs: object) -> Kind | None:
    """Return the kind of a difference, None if it is of no known one."""
    if SCALED.search(text) and theirs is not True:
        return SCALE
    if RANGE.search(text):
        if theirs == "error":
            return EMPTY
        return OPEN if NULL.search(text) else REVERSED if (ours, theirs) == (False, True) else None
    if NULL.search(text):
        return UNLIKE if ours is None else None
    return DECIMAL if text in EXACT else None
