"""Handlers of the example “Parallel”."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workers import Changes, Context, transition

State = Mapping[str, Any]


@transition("sample_parallel_room", simulate=lambda state: {"room": "Hall 1"})
def book(state: State, ctx: Context) -> Changes:
    return {"room": f"Hall {ctx.wid % 9 + 1}"}


@transition("sample_parallel_speakers", simulate=lambda state: [{"speakers": 3}, {"speakers": 0}])
def invite(state: State, ctx: Context) -> Changes:
    """Invite one speaker per word of the topic."""
    return {"speakers": len(str(state["topic"]).split())}


@transition("sample_parallel_announce", simulate=lambda state: {"announced": True})
def announce(state: State, ctx: Context) -> Changes:
    return {"announced": True}
