"""Simulated durations and random outcomes of the demo's handlers."""

from __future__ import annotations

import os
import random
import time

from workers.context import Context


def random_source(ctx: Context) -> random.Random:
    """Return a random generator that is the same for the same attempt of the same job."""
    seed = os.environ.get("WEDSQL_DEMO_SEED", "wed")
    return random.Random(f"{seed}:{ctx.wid}:{ctx.transition}:{ctx.attempt}")  # noqa: S311  # no secret


def simulate_duration(seconds: float) -> None:
    """Sleep for the simulated duration, multiplied by WEDSQL_DEMO_PACE (default 1); 0: do not sleep."""
    pace = float(os.environ.get("WEDSQL_DEMO_PACE", "1"))
    if pace > 0:
        time.sleep(seconds * pace)
