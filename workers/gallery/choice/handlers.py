"""Handlers of the example “Choice”."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workers import Changes, Context, transition

State = Mapping[str, Any]


@transition("sample_choice_pay", simulate=lambda state: {"outcome": "paid"})
def pay(state: State, ctx: Context) -> Changes:
    return {"outcome": "paid"}


@transition("sample_choice_examine", simulate=lambda state: [{"outcome": "paid"}, {"outcome": "refused"}])
def examine(state: State, ctx: Context) -> Changes:
    """Refuse what is too large for this insurance."""
    return {"outcome": "refused" if int(state["amount"]) > 100_000 else "paid"}
