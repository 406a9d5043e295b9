"""Handlers of the patterns of the gallery: their results are in the files of the patterns."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from flows.patterns import results_of, transitions
from flows.patterns.code import values
from workers import Changes, Context, transition

State = Mapping[str, Any]


def _register(name: str, pattern: str) -> None:
    """Register the handler of a transition; the file is read when it is called first."""

    def simulate(state: State) -> list[dict[str, Any]]:
        return [values(result, state) for result in results_of(pattern, name)]

    @transition(name, simulate=simulate)
    def perform(state: State, ctx: Context) -> Changes:
        return random.choice(results_of(pattern, name))  # noqa: S311  # which one does not matter


for _name, _pattern in transitions():
    _register(_name, _pattern)
