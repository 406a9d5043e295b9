"""What stands on the engine, one folder each (CONTRIBUTING.md, "A capability")."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path


def names() -> list[str]:
    """Return the capabilities that are installed."""
    return sorted(path.parent.name for path in Path(__file__).parent.glob("*/__init__.py"))


def rounds() -> tuple[Callable[[], int], ...]:
    """Return what capabilities do beside the rounds of the reaper: `run_due` of each module `reaper`."""
    found = [name for name in names() if (Path(__file__).parent / name / "reaper.py").exists()]
    return tuple(import_module(f"flows.capabilities.{name}.reaper").run_due for name in found)
