"""One seed decides everything that the harness chooses; the same seed makes the same choices."""

from __future__ import annotations

import os
from random import Random


def dice(*names: object) -> Random:
    """A source of chance for one purpose, told by the run's seed (CHAOS_SEED) and the purpose's names."""
    return Random(f"{os.environ.get('CHAOS_SEED', '1')}:{names!r}")  # noqa: S311 - repeatable, not secret
