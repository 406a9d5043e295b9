"""Random orders and counters."""

from __future__ import annotations

import random
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

_FIRST = (
    "Ana",
    "Bruno",
    "Carla",
    "Davi",
    "Elisa",
    "Fábio",
    "Grace",
    "Hugo",
    "Inês",
    "João",
    "Kenji",
    "Lúcia",
)
_LAST = (
    "Almeida",
    "Barros",
    "Costa",
    "D'Ávila",
    "Esteves",
    "Ferraz",
    "Gomes",
    "O'Hara",
    "Pires",
    "Sato",
    "Vidal",
)
_COUNTRIES = ("BR", "PT", "AR", "DE", "JP", "CA")
_PRICES = ("9.90", "14.50", "24.00", "39.90", "79.90", "120.00", "349.00")


def name(chance: random.Random) -> str:
    """Return the name of a person."""
    return f"{chance.choice(_FIRST)} {chance.choice(_LAST)}"


def order(chance: random.Random, today: date) -> dict[str, Any]:
    """Return the first state of an order; one in forty has an unknown country."""
    items = chance.choices((1, 2, 3, 5, 8), (50, 25, 15, 7, 3))[0]
    price = Decimal(chance.choice(_PRICES))
    return {
        "customer": name(chance),
        "country": "??" if chance.random() < 0.025 else chance.choice(_COUNTRIES),
        "items": items,
        "total": price * items,
        "express": chance.random() < 0.3,
        "ordered_on": today - timedelta(days=chance.randrange(3)),
    }


def counter(chance: random.Random) -> dict[str, Any]:
    """Return the first state of a counter, with a random goal."""
    return {"goal": chance.randrange(3, 9)}
