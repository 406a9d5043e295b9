"""Files with the histories of a flow for process mining, by their formats."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime

from flows.capabilities.figures import ocel, xes
from flows.capabilities.figures.histories import Children, Wanted, cases

Write = Callable[[str, Wanted, datetime, Children], Iterator[bytes]]


def _xes(flow: str, wanted: Wanted, at: datetime, children: Children) -> Iterator[bytes]:
    return xes.written(flow, cases(wanted, at))


def _ocel(flow: str, wanted: Wanted, at: datetime, children: Children) -> Iterator[bytes]:
    return ocel.written(lambda: cases(wanted, at, children, steps=False), lambda: cases(wanted, at, children))


FORMATS: dict[str, tuple[str, Write]] = {
    "xes": ("application/xml", _xes),
    "ocel": ("application/json", _ocel),
}
"""The type of the content and what writes it: of a flow, at a moment, with children."""
ENDINGS = {"xes": "xes", "ocel": "json"}
