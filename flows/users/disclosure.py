"""What the response of a request shows of values that are masked or hidden for others.

`flows.access` notes each flow that is shown with all its values to a user who may reveal them. The middleware
of looks records it before the response is sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass
class Noted:
    """What one request shows: flows, each with an instance or None for a list, and who sees it."""

    shown: dict[tuple[str, int | None], str] = field(default_factory=dict)
    instances: int | None = None
    is_file: bool = False
    no_values: bool = False


_noted: ContextVar[Noted | None] = ContextVar("disclosure", default=None)


@contextmanager
def noting() -> Iterator[Noted]:
    """Collect what the block shows."""
    found = Noted()
    token = _noted.set(found)
    try:
        yield found
    finally:
        _noted.reset(token)


def note(actor: str, flow: str, wid: int | None = None) -> None:
    """Note that this request shows a user all values of an instance or, without `wid`, of a list."""
    if found := _noted.get():
        found.shown[flow, wid] = actor


def counted(instances: int, *, is_file: bool = False) -> None:
    """Note how many instances the list or the file has."""
    if found := _noted.get():
        found.instances, found.is_file = instances, is_file


def no_values() -> None:
    """Note that this request shows no values, or has recorded its look itself."""
    if found := _noted.get():
        found.no_values = True
