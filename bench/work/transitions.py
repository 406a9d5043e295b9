"""The handlers: each sets one value, as the handlers of all contenders do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bench.work.definition import FIFTY, FLOW
from workers.context import Context
from workers.registry import transition


@transition("tr_a2", flow=FLOW)
def fill_a2(state: Mapping[str, Any], ctx: Context) -> dict[str, Any]:
    """Set a2, in the first of the two parallel steps."""
    return {"a2": "done"}


@transition("tr_a3", flow=FLOW)
def fill_a3(state: Mapping[str, Any], ctx: Context) -> dict[str, Any]:
    """Set a3, in the second of the two parallel steps."""
    return {"a3": "done"}


@transition("tr_final", flow=FLOW)
def finish(state: Mapping[str, Any], ctx: Context) -> dict[str, Any]:
    """Set the final state."""
    return {"a1": "final"}


def count_on(state: Mapping[str, Any], ctx: Context) -> dict[str, Any]:
    """Count up, in one of the fifty steps of the footprint probe."""
    return {"n": state["n"] + 1}


for _number in range(1, 51):
    transition(f"tr_s{_number}", flow=FIFTY)(count_on)
