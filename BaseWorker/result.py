"""Converts the result or exception of `wed_trans` to plain text once, so that its code runs no more later."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable
from dataclasses import dataclass

LIMIT = 32_000_000


class BadResult(Exception):
    """The SET clause cannot be sent to the server."""


@dataclass(frozen=True)
class Failure:
    """A failed attempt: its outcome, the reason for the job, and a short text without data for the log."""

    outcome: str
    words: str
    short: str


def read(result: object) -> str | Failure:
    """Return the SET clause, or a Failure if it is empty.

    Raises BadResult for one that cannot be sent, and any exception of the result's own `__str__`.
    """
    text = "" if result is None else str.__str__(result) if isinstance(result, str) else str(result)
    if not text.strip():
        return Failure("aborted", "wed_trans returned nothing.", "returned nothing")
    if "\0" in text:
        raise BadResult("A SET clause cannot hold the NUL character.")
    if len(text) > LIMIT:
        raise BadResult(f"A SET clause has at most {LIMIT:,} characters.")
    text.encode()
    return text


def failure(error: BaseException) -> Failure:
    """Return the Failure of an exception, even if its own methods raise."""
    name = _ask(lambda: str(type(error).__name__), "an exception")
    words = _ask(lambda: f"{name}: {error}", f"{name} (its text cannot be read)")
    return Failure("failed", words, _ask(lambda: f"{name} at {_line_of(error)}", name))


def _ask(question: Callable[[], str], otherwise: str) -> str:
    try:
        return question()
    except BaseException:  # noqa: BLE001  # calls code of the transition
        return otherwise


def _line_of(error: BaseException) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{os.path.basename(last.filename)}:{last.lineno}"
