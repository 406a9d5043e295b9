"""Handlers of the example “Loop”."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workers import Changes, Context, transition

State = Mapping[str, Any]


def next_version(state: State) -> Mapping[str, Any]:
    """Return the changes of writing: the next version has no verdict yet."""
    return {"version": int(state["version"]) + 1, "verdict": None}


@transition("sample_loop_write", simulate=next_version)
def write(state: State, ctx: Context) -> Changes:
    return next_version(state)


@transition("sample_loop_review", simulate=lambda state: [{"verdict": "good"}, {"verdict": "bad"}])
def review(state: State, ctx: Context) -> Changes:
    """The third version is good."""
    return {"verdict": "good" if int(state["version"]) >= 3 else "bad"}
