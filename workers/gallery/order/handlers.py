"""Handlers of the example “Order”."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workers import Changes, Context, transition

State = Mapping[str, Any]


@transition("sample_order_pay", simulate=lambda state: [{"payment": "paid"}, {"payment": "declined"}])
def pay(state: State, ctx: Context) -> Changes:
    """Charge the card; give the number of the job to the bank, so that a second call charges nothing."""
    return {"payment": "declined" if int(state["total"]) > 5000 else "paid"}


@transition("sample_order_reserve", simulate=lambda state: [{"stock": "reserved"}, {"stock": "sold_out"}])
def reserve(state: State, ctx: Context) -> Changes:
    return {"stock": "sold_out" if int(state["items"]) > 50 else "reserved"}


@transition("sample_order_ship", simulate=lambda state: {"parcel": "P-1"})
def ship(state: State, ctx: Context) -> Changes:
    return {"parcel": f"P-{ctx.job_id}"}


@transition("sample_order_release", simulate=lambda state: {"stock": "released"})
def release(state: State, ctx: Context) -> Changes:
    return {"stock": "released"}


@transition("sample_order_refund", simulate=lambda state: {"payment": "refunded"})
def refund(state: State, ctx: Context) -> Changes:
    return {"payment": "refunded"}
