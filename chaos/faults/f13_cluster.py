"""F13: Django-Q as the worker: its processes are terminated or killed, singly and all together."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

from chaos.faults.f2_processes import strike
from chaos.rng import rng
from chaos.run import Row, Run
from chaos.system import System
from testkit.processes import descendants

KILL, TERM = signal.SIGKILL, signal.SIGTERM
VICTIMS = [
    ("main", TERM), ("group", TERM), ("sentinel", KILL), ("worker", KILL), ("pusher", KILL), ("main", KILL),
    ("worker", TERM),
]  # fmt: skip
TIMEOUT = 30.0


def cluster(run: Run, row: Row) -> None:
    """Stop processes: other workers take over their jobs, none outlives the main one, stops take seconds."""
    stops: list[float] = []
    with run.system(row, programs=("cluster", "reaper"), designer=0) as system:
        for turn in range(run.number(4)):
            order = list(VICTIMS)
            rng("f13", turn).shuffle(order)
            for part, number in order:
                if number == TERM and part in ("main", "group"):
                    row.injection(lambda part=part: _stop(system, part, stops), f"SIGTERM to the {part}")  # type: ignore[misc]
                else:
                    strike(system, row, "cluster", part, number)
                time.sleep(rng("f13", turn, part).uniform(0.2, 1.0))
    row.notes.append(f"seconds to stop: {', '.join(f'{s:.2f}' for s in sorted(stops))}")


def _stop(system: System, part: str, stops: list[float]) -> float:
    """Terminate it, as a terminal or systemd does; return the seconds until its successor commits a step."""
    main = system.programs["cluster"].pid
    family = [main, *descendants(main)]
    with suppress(ProcessLookupError):
        (os.killpg if part == "group" else os.kill)(main, TERM)
    stops.append(system.until(lambda: not _left(family), TIMEOUT, f"of {family} live {_left(family)}"))
    return stops[-1] + system.moves_again(TIMEOUT)


def _left(family: list[int]) -> list[int]:
    return [pid for pid in family if os.path.exists(f"/proc/{pid}/exe")]
