"""What stands on the engine, one folder each (CONTRIBUTING.md, "A capability")."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def beside_rounds() -> tuple[Callable[[], int], ...]:
    """Return the functions that run beside the rounds: `beside_rounds` of each module `reaper`."""
    return tuple(module.beside_rounds for module in _reapers() if hasattr(module, "beside_rounds"))


def in_rounds() -> tuple[Callable[[Any], None], ...]:
    """Return the functions to run in each round, on its connection: `in_round` of each module `reaper`."""
    return tuple(module.in_round for module in _reapers() if hasattr(module, "in_round"))


def _reapers() -> list[Any]:
    names = sorted(path.parent.name for path in Path(__file__).parent.glob("*/reaper.py"))
    return [import_module(f"flows.capabilities.{name}.reaper") for name in names]
