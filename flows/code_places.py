"""Where the code of transitions is, for the pages of a definition.

The package that performs transitions says here how the place of a handler is found, so that no page imports
it. A place is a path inside a package and a line: "shop/transitions.py:34".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Finder: TypeAlias = Callable[[str, str], str]

_finders: list[Finder] = []


def provide(finder: Finder) -> None:
    """Register how the place of a transition's handler in a flow is found; "" means that it has none."""
    if finder not in _finders:
        _finders.append(finder)


def code_place(flow: str, transition: str) -> str:
    """Return the file and line of the handler of a transition in a flow; "" if this process knows none."""
    return next(filter(None, (finder(flow, transition) for finder in _finders)), "")
