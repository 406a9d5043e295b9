"""Handlers of the example “Field visit”."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from workers import Changes, Context, transition

State = Mapping[str, Any]


@transition("sample_field_visit_appoint", simulate=lambda state: {"appointment": "2999-01-31T09:00:00+00:00"})
def appoint(state: State, ctx: Context) -> Changes:
    """Agree on a time; two seconds are enough for an example."""
    return {"appointment": datetime.now(UTC) + timedelta(seconds=2)}


@transition(
    "sample_field_visit_visit",
    simulate=lambda state: [
        {"result": result, "visits": int(state["visits"]) + 1}
        for result in ("repaired", "part_missing", "nobody_home")
    ],
)
def visit(state: State, ctx: Context) -> Changes:
    """The first visit finds that a part is missing."""
    result = "repaired" if state["part"] else "part_missing"
    return {"result": result, "visits": int(state["visits"]) + 1}


@transition(
    "sample_field_visit_part", simulate=lambda state: {"part": "S-1", "result": None, "appointment": None}
)
def order_part(state: State, ctx: Context) -> Changes:
    return {"part": f"S-{ctx.job_id}", "result": None, "appointment": None}


@transition("sample_field_visit_again", simulate=lambda state: {"result": None, "appointment": None})
def again(state: State, ctx: Context) -> Changes:
    return {"result": None, "appointment": None}


@transition("sample_field_visit_invoice", simulate=lambda state: {"invoice": "I-1"})
def write_invoice(state: State, ctx: Context) -> Changes:
    return {"invoice": f"I-{ctx.wid}"}
