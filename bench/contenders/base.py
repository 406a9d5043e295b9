"""The interface of a contender, so that one race can time all of them in the same way."""

from __future__ import annotations

import importlib.metadata
import sys
from dataclasses import dataclass
from typing import ClassVar

import psycopg

from bench.cluster import Cluster

STEPS_PER_INSTANCE = 3


@dataclass(frozen=True)
class Layout:
    """How `workers` are distributed: the number of processes, and the concurrency of each."""

    processes: int
    concurrency: int


class Contender:
    """One engine in one mode.

    A race clones the database that `prepare` made, calls `start`, runs `commands` and counts with `steps`
    and `final`.
    """

    name: str
    label: str
    kind: str
    """floor, ours or peer"""
    counts: tuple[int, ...] = (1, 4, 16)
    quick_counts: tuple[int, ...] = (4,)
    distributions: ClassVar[tuple[str, ...]] = ()
    instances: int = 2_000
    starts_when_ready: ClassVar[bool] = False
    """True when the workers must run first; `start` is one transaction, whose commit starts the race"""
    announces: ClassVar[bool] = True
    """False when the worker processes do not print ``ready``; `ready` is then called instead"""

    def missing(self) -> str | None:
        """Return why this contender cannot run here, or None."""
        absent = [name for name in self.distributions if _version(name) is None]
        return f"not installed: {', '.join(absent)}" if absent else None

    def versions(self) -> dict[str, str]:
        """Return the distributions of this contender with their installed versions."""
        return {name: _version(name) or "missing" for name in self.distributions}

    def prepare(self, cluster: Cluster) -> str:
        """Create the template database with everything installed and no instance; return its name."""
        raise NotImplementedError

    def start(self, dsn: str, count: int) -> None:
        """Start `count` instances; no worker runs yet, unless `starts_when_ready`."""
        raise NotImplementedError

    def layout(self, workers: int) -> Layout:
        """Return the distribution of `workers` that was fastest with this engine."""
        return Layout(1, workers)

    def commands(self, dsn: str, workers: int) -> list[list[str]]:
        """Return the command lines of the worker processes; each prints ``ready`` and waits for a line."""
        raise NotImplementedError

    def environment(self, dsn: str, workers: int) -> dict[str, str]:
        """Return the environment variables that the worker processes need."""
        return {}

    def ready(self, conn: psycopg.Connection, workers: int) -> bool:
        """Return whether all workers wait for work, where they do not announce it themselves."""
        return True

    def steps(self, conn: psycopg.Connection) -> int:
        """Return how many steps are committed."""
        raise NotImplementedError

    def final(self, conn: psycopg.Connection) -> int:
        """Return how many instances are final."""
        raise NotImplementedError


class Peer(Contender):
    """Another engine, whose workers run ``python -m bench.peers.<module> --dsn D --concurrency C``."""

    kind = "peer"
    module: ClassVar[str]

    def prepare(self, cluster: Cluster) -> str:
        name = f"tpl_{self.module}"
        self.install(cluster, cluster.create_database(name))
        return name

    def install(self, cluster: Cluster, dsn: str) -> None:
        """Create the engine's tables in the empty template database."""
        raise NotImplementedError

    def commands(self, dsn: str, workers: int) -> list[list[str]]:
        layout = self.layout(workers)
        options = ["--dsn", dsn, "--concurrency", str(layout.concurrency)]
        return [[sys.executable, "-m", f"bench.peers.{self.module}", *options]] * layout.processes


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None
