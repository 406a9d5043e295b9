"""Handlers of the example “Time limit and escalation”."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workers import Changes, Context, transition

State = Mapping[str, Any]


@transition("sample_escalation_answer", simulate=lambda state: {"answer": "Tomorrow."})
def answer(state: State, ctx: Context) -> Changes:
    """Stand in for a person who answers at once."""
    return {"answer": "Tomorrow."}


@transition("sample_escalation_remind", simulate=lambda state: {"reminded": True})
def remind(state: State, ctx: Context) -> Changes:
    ctx.logger.info("a reminder is sent")
    return {"reminded": True}


@transition("sample_escalation_manager", simulate=lambda state: {"manager": "dora"})
def ask_manager(state: State, ctx: Context) -> Changes:
    return {"manager": "dora"}
