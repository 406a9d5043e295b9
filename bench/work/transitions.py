"""The handlers: each sets one value, as everybody's handlers do in this bench."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workers.context import Context
from workers.registry import transition


@transition("tr_a2", flow="bench")
def fill_a2(state: Mapping[str, Any], ctx: Context) -> dict[str, Any]:
    """The first of the two parallel steps."""
    return {"a2": "done"}


@transition("tr_a3", flow="bench")
def fill_a3(state: Mapping[str, Any], ctx: Context) -> dict[str, Any]:
    """The second of the two parallel steps."""
    return {"a3": "done"}


@transition("tr_final", flow="bench")
def finish(state: Mapping[str, Any], ctx: Context) -> dict[str, Any]:
    """The last step."""
    return {"a1": "final"}
