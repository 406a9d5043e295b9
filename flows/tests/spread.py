"""Which tests of the kernel run in which modes (`pytest --mode=...`, flows/tests/modes.py)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from inspect import isfunction
from types import CodeType
from typing import Any

import pytest

MODES = ("single", "batch", "held", "lease")
WORDS = {"take", "complete", "run"}


def chosen(asked: str, allowed: Sequence[str]) -> list[str]:
    """The modes asked for in which a test says something; else its usual one."""
    return [mode for mode in allowed if asked in (mode, "all")] or [allowed[0]]


def spread(metafunc: pytest.Metafunc) -> None:
    """A test that takes jobs by its kit runs in every mode asked for, or in those of its mark."""
    words = said(metafunc.function)
    if "kit" not in metafunc.fixturenames or not words:
        return
    mark = metafunc.definition.get_closest_marker("mode")
    of_its_own = not words & {"take", "run"}  # it holds its jobs in a way of its own
    allowed = mark.args if mark else MODES[:2] if of_its_own else MODES
    modes = chosen(metafunc.config.getoption("--mode"), allowed)
    if modes != ["single"]:
        metafunc.parametrize("mode", modes)


def said(function: Any) -> set[str]:
    """The words of the modes that a test says, itself or by a helper of its module."""
    known: set[str] = set()
    found = [function]
    while found:
        one = found.pop()
        names = set(_names(one.__code__)) - known
        known |= names
        beside = [one.__globals__.get(name) for name in names]
        found += [other for other in beside if isfunction(other) and other.__module__ == one.__module__]
    return known & WORDS


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)
