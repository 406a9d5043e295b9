"""Handlers of the example “Compensation”."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workers import Changes, Context, transition

State = Mapping[str, Any]


@transition("sample_compensation_flight", simulate=lambda state: [{"flight": "booked"}, {"flight": "full"}])
def book_flight(state: State, ctx: Context) -> Changes:
    return {"flight": "booked"}


@transition("sample_compensation_hotel", simulate=lambda state: [{"hotel": "booked"}, {"hotel": "full"}])
def book_hotel(state: State, ctx: Context) -> Changes:
    return {"hotel": "booked"}


@transition("sample_compensation_pay", simulate=lambda state: [{"payment": "paid"}, {"payment": "declined"}])
def pay(state: State, ctx: Context) -> Changes:
    """Decline what is too expensive."""
    return {"payment": "declined" if int(state["price"] or 0) > 1000 else "paid"}


@transition("sample_compensation_cancel_hotel", simulate=lambda state: {"hotel": "cancelled"})
def cancel_hotel(state: State, ctx: Context) -> Changes:
    """Cancel; what is cancelled already stays so, because this may run twice."""
    return {"hotel": "cancelled"}


@transition("sample_compensation_cancel_flight", simulate=lambda state: {"flight": "cancelled"})
def cancel_flight(state: State, ctx: Context) -> Changes:
    return {"flight": "cancelled"}
