"""The parts of a run: its seed and duration, its systems, and the rows of its table."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chaos.row import Row
from chaos.system import System
from testkit.server import Server

__all__ = ["Row", "Run", "print_line"]


@dataclass
class Run:
    """One run of the harness; `scale` multiplies the duration of every fault."""

    seed: int
    home: Path
    template: Server
    scale: float = 1.0
    systems: int = 0
    rows: list[Row] = field(default_factory=list)

    def seconds(self, base: float) -> float:
        """Return the duration in this run of a fault that takes `base` seconds in a full run."""
        return max(3.0, base * self.scale)

    def number(self, base: int, least: int = 1) -> int:
        """Return how often something is done that is done `base` times in a full run."""
        return max(least, round(base * self.scale))

    def new_directory(self) -> Path:
        """Create a directory for the files of a system or a server."""
        self.systems += 1
        made = self.home / f"w{self.systems}"
        made.mkdir(mode=0o711)
        return made

    @contextmanager
    def system(self, row: Row, **options: Any) -> Iterator[System]:
        """Run a system for one fault; at the end judge it, add the verdict to the row, and remove it."""
        timeout = options.pop("timeout", 90.0)
        with System(self.new_directory(), self.template, **options) as system:
            yield system
            system.judge(row, timeout)
        if system.orphans:
            row.fail(f"{system.orphans} processes outlived their parents")


def print_line(line: str = "") -> None:
    """Print a line of progress."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
