"""The arguments of a probe, and helpers that several probes need."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from bench import site
from bench.cluster import Cluster, scalar
from bench.contenders.wedsql import WAITING
from bench.race import WorkerProcesses


@dataclass(frozen=True)
class Stage:
    """The server of the run, and whether the short form is wanted."""

    cluster: Cluster
    quick: bool

    def database(self, name: str = "probe") -> str:
        """Create a fresh WED-SQL database and return its DSN."""
        return self.cluster.create_database(name, site.template(self.cluster))

    @contextmanager
    def workers(
        self, database: str, *arguments: str, waiting: int = 1, flow: str | None = None
    ) -> Iterator[WorkerProcesses]:
        """Run `wedworker` with these arguments; enter when it waits for work."""
        chosen = ("--flow", flow) if flow else ()
        command = site.manage("wedworker", *arguments, *chosen)
        environment = site.environment(self.cluster, database)
        with WorkerProcesses([command], environment, announces=False) as processes:
            with self.cluster.session(database) as conn:
                processes.wait_until(lambda: scalar(conn, WAITING) >= waiting)
            yield processes


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which `share` (0 to 1) of the values lie; nearest rank."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]
