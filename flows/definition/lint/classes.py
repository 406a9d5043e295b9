"""Values that stand for all values of an attribute.

Where every comparison of an attribute is with constants, its values fall into finitely many classes: in each,
all comparisons have the same result. One value of each class is enough to know every condition everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from typing import Any

EQUAL = {"=", "<>", "!="}
ORDER = {"<", "<=", ">", ">="}
_OTHER = "another text"
_INTEGERS = range(-(2**31), 2**31)


@dataclass(frozen=True, slots=True)
class Leaf:
    """One comparison of a condition: its tokens with their kinds, and its place in the text."""

    kinds: tuple[str, ...]
    words: tuple[str, ...]
    position: int
    length: int

    @property
    def attributes(self) -> list[str]:
        """Return the attributes in it."""
        return [word for kind, word in zip(self.kinds, self.words, strict=True) if kind == "attribute"]

    @property
    def negative(self) -> bool:
        """Return whether it tests for a difference, which null does not have."""
        inner = self.words[1:]
        return "is" not in inner and ("<>" in inner or "!=" in inner or "not" in inner)

    @property
    def never_with_null(self) -> bool:
        """Return whether a null among its constants keeps it from ever being true."""
        words = {*self.words}
        harmless = {"is"} & words or ("in" in words and "not" not in words) or {"not", "between"} <= words
        return not harmless

    def constants(self) -> list[str] | None:
        """Return the constants that its one attribute is compared with; None for any other form."""
        if self.kinds.count("attribute") != 1:
            return None
        words = [
            word
            for kind, word in zip(self.kinds, self.words, strict=True)
            if word not in {"(", ")", ","}
            and (kind != "type" or word == "::")  # date '2026-01-01' is a constant
        ]
        place = words.index(self.attributes[0])
        if place == len(words) - 1:  # 3 < attribute
            words.reverse()
        elif place > 0:
            return None
        test, rest = _split(words[1:])
        found = [_constant(word) for word in rest]
        known = test in {"is", "in", "between", "distinct", *EQUAL, *ORDER}
        return None if not known or any(one is None for one in found) else [one for one in found if one]

    @property
    def ordered(self) -> bool:
        """Return whether it compares by order."""
        return bool({*self.words} & (ORDER | {"between"}))


def _split(words: Sequence[str]) -> tuple[str, list[str]]:
    """Return the kind of comparison and its operands; “?” for what is no comparison with constants."""
    found: tuple[str, list[str]]
    match [word for word in words if word != "not"]:
        case [] | ["isnull" | "notnull"] | ["is", "null" | "true" | "false" | "unknown"]:
            found = ("is", [])
        case ["is", "distinct", "from", operand]:
            found = ("distinct", [operand])
        case ["between", low, "and", high]:
            found = ("between", [low, high])
        case ["in", *members]:
            found = ("in", list(members))
        case [operator, operand]:
            found = (operator, [operand])
        case [operator, "-", operand]:
            found = (operator, [f"-{operand}"])
        case _:
            found = ("?", [])
    return found


def _constant(word: str) -> str | None:
    """Return the text of a constant; None for anything else. null has no class of its own."""
    if word.startswith("'"):
        return word[1:-1].replace("''", "'")
    if word in {"true", "false", "null"}:
        return word
    try:
        return str(Decimal(word))
    except InvalidOperation:
        return None


def representatives(attribute: Mapping[str, Any], leaves: Iterable[Leaf]) -> list[Any] | None:
    """Return one value of each class of an attribute, null first; None where its classes are not known.

    The default of the attribute is among them.
    """
    kind = attribute.get("type") or "text"
    if kind == "boolean":
        return [None, True, False]
    if kind == "enum":
        return [None, *attribute.get("options", [])]
    default = attribute.get("default")
    constants: list[str] = [] if default is None else [str(default)]
    ordered = False
    for leaf in leaves:
        found = leaf.constants()
        if found is None:
            return None
        constants += [one for one in found if one != "null"]
        ordered = ordered or leaf.ordered
    try:
        return [None, *_around(kind, constants, ordered)]
    except (ValueError, InvalidOperation, OverflowError):
        return None


def _around(kind: str, constants: list[str], ordered: bool) -> list[Any]:
    """Return values at, below, between and above the constants. Raises ValueError for other types."""
    if kind in {"jsonb", "interval"} and not constants and not ordered:  # tested for null only
        return [{} if kind == "jsonb" else "1 day"]
    around = {
        "text": _texts,
        "integer": _integers,
        "numeric": _numbers,
        "date": _days,
        "timestamptz": _moments,
    }
    if kind not in around or (kind == "text" and ordered):
        raise ValueError(kind)
    return around[kind](constants)


def _texts(constants: list[str]) -> list[Any]:
    other = _OTHER
    while other in constants:
        other += "!"
    return [*dict.fromkeys(constants), other]


def _integers(constants: list[str]) -> list[Any]:
    numbers = _finite(constants)
    near = {int(number // 1) + step for number in numbers for step in (-1, 0, 1, 2)}
    return sorted(one for one in near if one in _INTEGERS)


def _numbers(constants: list[str]) -> list[Any]:
    points = sorted({*_finite(constants)})
    middle = [(low + high) / 2 for low, high in pairwise(points)]
    return [str(one) for one in sorted({*points, *middle, points[0] - 1, points[-1] + 1})]


def _finite(constants: list[str]) -> list[Decimal]:
    numbers = [Decimal(one) for one in constants] or [Decimal(0)]
    if not all(number.is_finite() and abs(number) < 10**15 and _digits(number) < 10 for number in numbers):
        raise ValueError(numbers)
    return numbers


def _digits(number: Decimal) -> int:
    return -int(number.as_tuple().exponent)


def _days(constants: list[str]) -> list[Any]:
    days = [date.fromisoformat(one) for one in constants] or [date(2026, 1, 1)]
    return sorted({(day + timedelta(days=step)).isoformat() for day in days for step in (-1, 0, 1)})


def _moments(constants: list[str]) -> list[Any]:
    moments = [moment(one) for one in constants] or [datetime(2026, 1, 1, tzinfo=UTC)]
    step = timedelta(microseconds=1)
    return [each.isoformat() for each in sorted({at + n * step for at in moments for n in (-1, 0, 1)})]


def moment(text: str) -> datetime:
    """Return a time in UTC, as the kernel reads one without a zone. Raises ValueError."""
    found = datetime.fromisoformat(text)
    return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
