"""How many tasks and cases of other persons who publishes or drops a flow knows to take from them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_held: ContextVar[int] = ContextVar("held", default=0)


def held() -> int:
    """Return how many were confirmed; 0 where nothing was."""
    return _held.get()


def typed(text: str | None) -> int:
    """Return the number that a form sends; 0 for a text that is none."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) <= 9 else 0


@contextmanager
def confirmed(count: int) -> Iterator[None]:
    """Let what is published in the block take this number of tasks and cases from others."""
    before = _held.set(count)
    try:
        yield
    finally:
        _held.reset(before)
