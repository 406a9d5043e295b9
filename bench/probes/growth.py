"""What a history costs: the same work in empty tables and beside a million finished instances."""

from __future__ import annotations

import statistics

from bench.contenders.base import Contender
from bench.contenders.wedsql import BatchContender, StepContender
from bench.probes.base import Stage
from bench.probes.history import fill
from bench.race import race_in
from bench.targets import Measure

GROWN = "grown"
_LIMIT = 4.0  # seconds a race may take


def measure(stage: Stage) -> list[Measure]:
    """Interleaved rounds of the step and the batch mode, in empty and in grown tables."""
    found = []
    modes = {"growth-step": StepContender(), "growth-batch": BatchContender()}
    for size in (20_000,) if stage.quick else (100_000, 1_000_000):
        grow(stage, size)
        for key in ("growth-batch",) if stage.quick else modes:
            found.append(_compare(stage, modes[key], key, size))
    return found


def grow(stage: Stage, size: int) -> None:
    """Have a database of `size` finished instances with four trace rows each."""
    with stage.cluster.connect() as conn:
        exists = conn.execute("select from pg_database where datname = %s", [GROWN]).rowcount
    if not exists:
        stage.database(GROWN)
    with stage.cluster.connect(GROWN) as conn:
        fill(conn, size)


def _compare(stage: Stage, contender: Contender, key: str, size: int) -> Measure:
    template = contender.prepare(stage.cluster)
    workers = 4 if key == "growth-step" else 2
    empty, grown = [], []
    for _ in range(3 if size == 1_000_000 else 1):
        dsn = stage.cluster.create_database("race", template)
        empty.append(race_in(dsn, contender, workers, _LIMIT).rate)
        grown.append(race_in(stage.cluster.dsn(GROWN), contender, workers, _LIMIT).rate)
        _put_away(stage)
    ratio = statistics.median(empty) / statistics.median(grown)
    # Only the full size answers the target; a smaller one is a figure of its own.
    name = key if size == 1_000_000 else f"{key}-{size}"
    detail = (
        f"{statistics.median(grown):,.0f} steps/s against {statistics.median(empty):,.0f}, {workers} workers"
    )
    return Measure(name, f"cost of a step, {size:,} finished, {contender.label}", ratio, "times", detail)


def _put_away(stage: Stage) -> None:
    """Take out what a race left that was cut, so that the next one finds no work but its own."""
    with stage.cluster.connect(GROWN) as conn, conn.transaction():
        conn.execute("set local role wed_owner")
        conn.execute("delete from wedsql.job_pool")
        conn.execute("update wedsql.instance set status = 'C', finished_at = now() where status = 'R'")
