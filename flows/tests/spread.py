"""Selects the modes in which a test of the kernel runs (`pytest --mode=...`, flows/tests/modes.py)."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Sequence
from inspect import isfunction
from types import CodeType
from typing import Any

import pytest

from testkit import cases

MODES = ("single", "batch", "held", "lease")
KIT_METHODS = {"take", "complete", "run"}


def chosen(requested: str, allowed: Sequence[str], test: str = "") -> list[str]:
    """Return the requested modes that are allowed for a test; its first one if there are none.

    With "one" the name of the test decides on one of them: each mode has its share, always the same one.
    """
    if requested == "one":
        return [allowed[zlib.crc32(test.encode()) % len(allowed)]]
    return [mode for mode in allowed if requested in (mode, "all")] or [allowed[0]]


def seeds(number: int, short: int | None = None) -> range:
    """Return the seeds of a random test: so many, or as many as WEDSQL_SEEDS says.

    short: as many in runs that are not long (WEDSQL_LONG).
    """
    usual = number if short is None or cases.long() else short
    return range(int(os.environ.get("WEDSQL_SEEDS", usual)))


def spread(metafunc: pytest.Metafunc) -> None:
    """Parametrize a test that takes jobs with its kit by the requested modes that its mark allows."""
    methods = kit_methods(metafunc.function)
    if "kit" not in metafunc.fixturenames or not methods:
        return
    mark = metafunc.definition.get_closest_marker("mode")
    of_its_own = not methods & {"take", "run"}  # it takes its jobs by other means
    allowed = mark.args if mark else MODES[:2] if of_its_own else MODES
    modes = chosen(metafunc.config.getoption("--mode"), allowed, metafunc.definition.nodeid)
    if modes != ["single"]:
        metafunc.parametrize("mode", modes)


def kit_methods(function: Any) -> set[str]:
    """Return which of KIT_METHODS a test calls, itself or through helpers of its module."""
    known: set[str] = set()
    found = [function]
    while found:
        one = found.pop()
        names = set(_names(one.__code__)) - known
        known |= names
        values = [one.__globals__.get(name) for name in names]
        found += [other for other in values if isfunction(other) and other.__module__ == one.__module__]
    return known & KIT_METHODS


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)
