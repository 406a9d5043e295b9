"""Orders of the demo shop that become exceptions, and the rules for their cases."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from flows.capabilities.approvals.api import ApprovalRule
from flows.capabilities.cases.api import CaseRule
from workers.demo.random_states import order

HOUR = 3600.0
CARRIER = "The carrier did not answer: 503 Service Unavailable."
BANK = "The bank rejects the transfer: the account is blocked for maintenance."
DOOR = "The recipient was not at home."


@dataclass(frozen=True)
class Failure:
    """What happens to `orders` open orders, and to `repaired` more ones that a clerk has repaired.

    `given` replaces values of the first state. `results` has the transitions that succeed, with their
    results. The transition `fails` reports `error`. `aborted` is why a person aborts the order. `late` has a
    transition that two workers perform, the result that counts and the one that comes too late. The repair is
    an operation with its arguments, `why` its reason, and `code` the reason code of the case.
    """

    orders: int
    given: dict[str, Any]
    results: dict[str, str]
    fails: str = ""
    error: str = ""
    aborted: str = ""
    late: tuple[str, str, str] | None = None
    repaired: int = 0
    repair: tuple[str, dict[str, Any]] = ("accept", {})
    why: str = ""
    code: str = ""


LAST_YEAR, TODAY, TOMORROW = "last year", "today", "tomorrow"
PAID = {"tr_charge": "paid", "tr_reserve": "reserved", "tr_invoice": ""}
SENT = {**PAID, "tr_ship": ""}
SOLD_OUT = {**PAID, "tr_reserve": "sold_out"}
NO_CARD = {"tr_charge": "declined", "tr_reserve": "reserved"}

FAILURES: Sequence[Failure] = (
    Failure(
        28,
        {},
        NO_CARD,
        repaired=18,
        repair=("patch", {"changes": {"payment": "paid"}}),
        why="The customer has paid by bank transfer.",
        code="bank-transfer",
    ),
    Failure(
        9,
        {},
        {"tr_charge": "declined", "tr_reserve": "sold_out"},
        repaired=5,
        why="Nothing was paid and nothing is in stock. The customer is informed.",
        code="nothing-to-do",
    ),
    Failure(7, {"total": 698, "items": 2}, SOLD_OUT),
    Failure(
        12,
        {"country": "??"},
        PAID,
        repaired=6,
        repair=("patch", {"changes": {"country": "BR"}}),
        why="The customer has sent the right address.",
        code="address",
    ),
    Failure(
        24,
        {},
        PAID,
        "tr_ship",
        CARRIER,
        repaired=8,
        repair=("retry", {}),
        why="The carrier answers again.",
        code="carrier",
    ),
    Failure(6, {"total": 79.9, "items": 1}, SOLD_OUT, "tr_refund", BANK),
    Failure(5, {"total": None}, PAID),
    Failure(3, {"items": 0}, PAID),
    Failure(6, {}, SENT, "tr_deliver", DOOR),
    Failure(3, {"total": 120}, {"tr_charge": "paid"}, "tr_refund", BANK, "The customer cancelled the order."),
    Failure(2, {}, SENT, late=("tr_deliver", TODAY, TOMORROW)),
    Failure(2, {}, {"tr_reserve": "reserved"}, late=("tr_charge", "declined", "paid")),
    Failure(4, {}, {**SENT, "tr_deliver": LAST_YEAR}),
)

RULES: Sequence[CaseRule] = (
    CaseRule("refunds", "payment = 'paid' and stock = 'sold_out' and total > 500", "high", 80, 4 * HOUR),
    CaseRule("refunds", "payment = 'paid' and stock = 'sold_out'", "normal", 60, 8 * HOUR),
    CaseRule("cards", "payment = 'declined' and total > 500", "high", 70, 4 * HOUR),
    CaseRule("cards", "payment = 'declined'", "normal", 50, 24 * HOUR),
    CaseRule("delivery", "parcel is not null", "high", 65, 4 * HOUR),
    CaseRule("delivery", "payment = 'paid' and stock = 'reserved'", "normal", 55, 8 * HOUR),
    CaseRule("orders", "", "low", 30, 48 * HOUR),
)

APPROVALS: Sequence[ApprovalRule] = (
    ApprovalRule(
        1,
        title="A refund above 500",
        attributes=["payment"],
        condition="payment = 'refunded' and total > 500",
    ),
    ApprovalRule(
        1,
        title="Undoing steps of an order above 500",
        operations=["abort", "rollback", "compensate", "replay"],
        condition="total > 500",
    ),
    # The shop itself refunds up to 500, so whoever lowers the total of a paid order starts a refund.
    ApprovalRule(1, title="The total of a paid order", attributes=["total"], condition="payment is not null"),
)


@dataclass(frozen=True)
class Order:
    """An order: its first state, what happens to it, and whether it is repaired already."""

    state: dict[str, Any]
    failure: Failure
    is_repaired: bool


def first_states(chance: random.Random, today: date) -> list[Order]:
    """Return the orders, those that are repaired first."""
    return [
        Order({**_usual(order(chance, today)), **one.given}, one, number < one.repaired)
        for one in FAILURES
        for number in range(one.repaired + one.orders)
    ]


def _usual(state: dict[str, Any]) -> dict[str, Any]:
    """Return the order with an address, and a total that needs no decision of people."""
    return {**state, "country": "BR", "total": min(state["total"], Decimal(500))}
