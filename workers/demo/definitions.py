"""The demo's definitions."""

from __future__ import annotations

from pathlib import Path

FLOWS = ("fig2", "counter", "orders", "expenses")
LABELS = {
    "fig2": "Figure 2 of the paper",
    "counter": "Counter",
    "orders": "Orders of a small shop",
    "expenses": "Expenses of a small office",
}


def script(name: str) -> str:
    """Return the SQL of one of FLOWS."""
    return (Path(__file__).parent / "flows" / f"{name}.sql").read_text(encoding="utf-8")
