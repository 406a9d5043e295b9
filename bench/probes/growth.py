"""The cost of a history: the same work in empty tables and beside a million finished instances."""

from __future__ import annotations

import statistics
from copy import copy

from bench.contenders.base import Contender
from bench.contenders.wedsql import BATCH, STEP
from bench.probes.base import Stage
from bench.probes.history import fill
from bench.race import race_in
from bench.targets import Measure

GROWN = "grown"
_LIMIT = 5.0  # seconds a race may take
_ROUNDS = 5
# A race must last seconds, or its start dominates the result.
_INSTANCES = {"growth-step": 8_000, "growth-batch": 40_000}


def measure(stage: Stage) -> list[Measure]:
    """Race the step and the batch mode in interleaved rounds, in empty and in grown tables."""
    found = []
    modes = {"growth-step": copy(STEP), "growth-batch": copy(BATCH)}
    for size in (20_000,) if stage.quick else (100_000, 1_000_000):
        grow(stage, size)
        for key in ("growth-batch",) if stage.quick else modes:
            found.append(_compare(stage, modes[key], key, size))
    return found


def grow(stage: Stage, size: int) -> None:
    """Ensure a database of `size` finished instances with four history rows each."""
    with stage.cluster.session() as conn:
        exists = conn.execute("select from pg_database where datname = %s", [GROWN]).rowcount
    if not exists:
        stage.database(GROWN)
    with stage.cluster.session(GROWN) as conn:
        fill(conn, size)


def _compare(stage: Stage, contender: Contender, key: str, size: int) -> Measure:
    template = contender.prepare(stage.cluster)
    workers = 4 if key == "growth-step" else 2
    contender.instances = _INSTANCES[key]
    rates: dict[str, list[float]] = {"race": [], GROWN: []}
    for turn in range(_ROUNDS if size == 1_000_000 else 1):
        stage.cluster.create_database("race", template)
        for database in ("race", GROWN) if turn % 2 == 0 else (GROWN, "race"):
            run = race_in(stage.cluster.uri(database), contender, workers, _LIMIT)
            rates[database].append(run.rate)
        _put_away(stage)
    # Each round is compared within itself, because the machine's speed drifts between rounds.
    ratios = [empty / grown for empty, grown in zip(rates["race"], rates[GROWN], strict=True)]
    # Only the full size is compared with the target; a smaller one is a figure of its own.
    name = key if size == 1_000_000 else f"{key}-{size}"
    empty, grown = statistics.median(rates["race"]), statistics.median(rates[GROWN])
    spread = f"{min(ratios):.2f} to {max(ratios):.2f} in {len(ratios)} rounds"
    detail = f"{grown:,.0f} steps/s against {empty:,.0f}, {workers} workers, {spread}"
    label = f"cost of a step, {size:,} finished, {contender.label}"
    return Measure(name, label, statistics.median(ratios), "times", detail)


def _put_away(stage: Stage) -> None:
    """Remove what a cut race left, so that the next one finds only its own work."""
    with stage.cluster.session(GROWN) as conn, conn.transaction():
        conn.execute("set local role wed_owner")
        conn.execute("delete from wedsql.job_pool")
        conn.execute("update wedsql.instance set status = 'C', finished_at = now() where status = 'R'")
