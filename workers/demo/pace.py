"""The story's own time and luck; the engine knows neither."""

from __future__ import annotations

import os
import random
import time

from workers.context import Context


def luck(ctx: Context) -> random.Random:
    """Chance that is the same whenever the same attempt of the same job is made again."""
    seed = os.environ.get("WEDSQL_DEMO_SEED", "wed")
    return random.Random(f"{seed}:{ctx.wid}:{ctx.transition}:{ctx.attempt}")  # noqa: S311  # a story, not a secret


def take_time(seconds: float) -> None:
    """Let the story take this long; WEDSQL_DEMO_PACE (default 1) stretches it, 0 leaves it out."""
    pace = float(os.environ.get("WEDSQL_DEMO_PACE", "1"))
    if pace > 0:
        time.sleep(seconds * pace)
