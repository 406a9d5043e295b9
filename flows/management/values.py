"""Values of command lines: numbers, lengths of time and moments, and messages that quote them."""

from __future__ import annotations

import math
import re
from argparse import ArgumentTypeError
from collections.abc import Callable
from datetime import UTC, datetime

from django.core.management.base import CommandParser

_WORD, _LINE = 200, 1_000


def number(least: int, most: int = 2**31 - 1) -> Callable[[str], int]:
    """Return the type of an argument that is a whole number within bounds."""

    def parse(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= 20 and least <= int(text) <= most):
            raise ArgumentTypeError(f"“{text[:40]}” is not a number from {least:,} to {most:,}")
        return int(text)

    return parse


def span(text: str) -> float:
    """Return an argument that is a length of time, a number from 0; raises ArgumentTypeError."""
    if not re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,9})?", text, re.ASCII):
        raise ArgumentTypeError(f"“{text[:40]}” is not a number from 0")
    return float(text)


def moment(text: str) -> datetime:
    """Return an argument that is a date or a time; raises ArgumentTypeError."""
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise ArgumentTypeError(f"“{text[:40]}” is not a time such as 2030-01-31T22:00") from error


def past(text: str) -> datetime:
    """Return an argument that is a date or a time that was, in UTC if it has no zone; as `moment`."""
    found = moment(text)
    found = found if found.tzinfo else found.replace(tzinfo=UTC)
    if found > datetime.now(UTC):
        raise ArgumentTypeError(f"“{text[:40]}” has not come yet")
    return found


def register(parser: CommandParser) -> None:
    """Refuse what is no number or time in the words of the product, and cut long values that are quoted."""
    parser.register("type", int, _whole)
    parser.register("type", float, _decimal)
    parser.register("type", datetime.fromisoformat, moment)
    said = parser.error
    parser.error = lambda message: said(short(message))  # type: ignore[method-assign]


def short(message: str) -> str:
    """Return a message whose long words and lines are cut."""
    cut = re.sub(rf"\S{{{_WORD},}}", lambda found: f"{found[0][:80]}…", message)
    return "\n".join(line if len(line) <= _LINE else f"{line[: _LINE - 1]}…" for line in cut.split("\n"))


def _whole(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,18}", text, re.ASCII):
        raise ArgumentTypeError(f"“{text[:40]}” is not a whole number of at most 18 digits")
    return int(text)


def _decimal(text: str) -> float:
    try:
        found = float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise ArgumentTypeError(f"“{text[:40]}” is not a number")
    return found
