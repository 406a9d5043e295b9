"""Handlers of the example “Sequence”."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workers import Changes, Context, transition

State = Mapping[str, Any]


@transition("sample_sequence_account", simulate=lambda state: {"account": "an.account"})
def open_account(state: State, ctx: Context) -> Changes:
    """Create the account; the same person gets the same one, also if this runs twice."""
    return {"account": ".".join(str(state["person"]).lower().split())}


@transition("sample_sequence_laptop", simulate=lambda state: {"laptop": "L-1"})
def equip(state: State, ctx: Context) -> Changes:
    """Hand out a laptop; the number of the job never changes."""
    return {"laptop": f"L-{ctx.job_id}"}


@transition("sample_sequence_welcome", simulate=lambda state: {"welcomed": True})
def welcome(state: State, ctx: Context) -> Changes:
    ctx.logger.info("welcome")
    return {"welcomed": True}
