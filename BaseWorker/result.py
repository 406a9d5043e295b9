"""What `wed_trans` returned or raised, read once; its own code has no say afterwards."""

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
    """An attempt that failed: its outcome, its reason, and what a log line may say of it."""

    outcome: str
    words: str
    short: str


def read(result: object) -> str | Failure:
    """The SET clause, or a failure for none; BadResult or what its own code raises for a bad one."""
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
    """An exception in plain text, whatever it does when it is asked for one."""
    name = _ask(lambda: str(type(error).__name__), "an exception")
    words = _ask(lambda: f"{name}: {error}", f"{name} (its text cannot be read)")
    return Failure("failed", words, _ask(lambda: f"{name} at {_line_of(error)}", name))


def _ask(question: Callable[[], str], otherwise: str) -> str:
    try:
        return question()
    except BaseException:  # noqa: BLE001  # the answer is the transition's own code
        return otherwise


def _line_of(error: BaseException) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{os.path.basename(last.filename)}:{last.lineno}"
