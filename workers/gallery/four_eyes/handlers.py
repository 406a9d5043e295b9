"""Handlers of the example “Approval with four eyes”; here they stand in for the persons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workers import Changes, Context, transition

State = Mapping[str, Any]


def take_back(state: State) -> Mapping[str, Any]:
    """Return the approvals without those of a person who may not give them."""
    asked, first, second = (state[n] for n in ("requested_by", "first_approver", "second_approver"))
    if first == asked:
        return {"first_approver": None, "second_approver": None}
    return {"second_approver": None} if second in (asked, first) else {}


@transition(
    "sample_four_eyes_first",
    simulate=lambda state: [{"first_approver": "bruno"}, {"first_approver": "bruno", "refused": True}],
)
def first(state: State, ctx: Context) -> Changes:
    return {"first_approver": "bruno", "refused": int(state["amount"] or 0) > 10_000}


@transition(
    "sample_four_eyes_second",
    simulate=lambda state: [
        {"second_approver": "carla"},
        {"second_approver": "carla", "refused": True},
        {"second_approver": state["first_approver"]},
    ],
)
def second(state: State, ctx: Context) -> Changes:
    return {"second_approver": "carla"}


@transition("sample_four_eyes_take_back", simulate=take_back)
def ask_another(state: State, ctx: Context) -> Changes:
    return take_back(state)


@transition("sample_four_eyes_pay", simulate=lambda state: {"paid": True})
def pay(state: State, ctx: Context) -> Changes:
    return {"paid": True}
