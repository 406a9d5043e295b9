"""Random choices that depend on one seed only: the same seed makes the same choices."""

from __future__ import annotations

import os
from random import Random


def rng(*names: object) -> Random:
    """Return a random generator for one purpose, seeded by CHAOS_SEED and the names of the purpose."""
    return Random(f"{os.environ.get('CHAOS_SEED', '1')}:{names!r}")  # noqa: S311 - repeatable, not secret
