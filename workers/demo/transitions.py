"""The demo's handlers, with simulated delays and failures."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from django.utils import timezone

from workers import Changes, Context, transition
from workers.demo.pace import random_source, simulate_duration

State = Mapping[str, Any]


class CardServiceDown(Exception):
    """The card company does not answer."""


@transition("tr_a2", flow="fig2")
def write_a2(state: State, ctx: Context) -> Changes:
    simulate_duration(0.2)
    return {"a2": "done"}


@transition("tr_a3", flow="fig2")
def write_a3(state: State, ctx: Context) -> Changes:
    """Return the text of a SET clause, as in the paper."""
    simulate_duration(0.1)
    return "a3 = 'done'"


@transition("tr_final", flow="fig2")
def finish(state: State, ctx: Context) -> Changes:
    return {"a1": "finished"}


@transition("tr_count", flow="counter")
def count(state: State, ctx: Context) -> Changes:
    simulate_duration(0.15)
    turn = int(state["turn"]) + 1
    return {"turn": turn, "note": f"{state['goal'] - turn} to go"}


@transition("tr_charge", flow="orders", batch=1)
def charge(state: State, ctx: Context) -> Changes:
    """Charge the card; at times the card company does not answer, and some cards are declined."""
    chance = random_source(ctx)
    simulate_duration(chance.uniform(0.1, 0.4))
    if chance.random() < 0.12:
        raise CardServiceDown("no answer within the usual time")
    return {"payment": "declined" if chance.random() < 0.05 else "paid"}


@transition("tr_pay", flow="expenses")
def pay(state: State, ctx: Context) -> Changes:
    simulate_duration(0.3)
    return {"paid_on": timezone.localdate()}


@transition("tr_reserve", flow="orders")
def reserve(state: State, ctx: Context) -> Changes:
    chance = random_source(ctx)
    simulate_duration(0.05)
    if chance.random() < 0.25 / (1 + int(state["restocks"])):
        return {"stock": "short" if int(state["restocks"]) < 3 else "sold_out"}
    return {"stock": "reserved"}


@transition("tr_restock", flow="orders", batch=1)
def restock(state: State, ctx: Context) -> Changes:
    """Order more articles and reset the reservation; some articles are sold out for good."""
    chance = random_source(ctx)
    simulate_duration(chance.uniform(0.3, 0.8))
    if chance.random() < 0.2:
        return {"stock": "sold_out"}
    return {"stock": None, "restocks": int(state["restocks"]) + 1}


@transition("tr_invoice", flow="orders")
def invoice(state: State, ctx: Context) -> Changes:
    return {"invoice": f"{state['ordered_on'] or 'today'}-{ctx.wid:06d}"}


@transition("tr_ship", flow="orders", batch=1)
def ship(state: State, ctx: Context) -> Changes:
    """Ship the order; the carrier hangs at times."""
    chance = random_source(ctx)
    simulate_duration(6.0 if chance.random() < 0.04 else chance.uniform(0.1, 0.3))
    return {"parcel": f"{state['country']}{ctx.job_id:09d}"}


@transition("tr_deliver", flow="orders", mode="lease", batch=1)
def deliver(state: State, ctx: Context) -> Changes:
    chance = random_source(ctx)
    simulate_duration(chance.uniform(0.2, 0.6) if state["express"] else chance.uniform(0.5, 1.5))
    ordered = date.fromisoformat(state["ordered_on"]) if state["ordered_on"] else date(2024, 1, 1)
    return {"delivered_on": ordered + timedelta(days=1 if state["express"] else 3)}


@transition("tr_refund", flow="orders")
def refund(state: State, ctx: Context) -> Changes:
    simulate_duration(0.2)
    return {"payment": "refunded"}
