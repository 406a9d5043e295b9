"""WED-SQL in its modes: one commit per step, several steps per commit, and in the Django-Q cluster."""

from __future__ import annotations

import sys
from typing import ClassVar

import psycopg
from psycopg.conninfo import conninfo_to_dict

from bench import site
from bench.cluster import Cluster
from bench.contenders.base import Contender, scalar
from bench.work.definition import SETS

_PENDING = "select count(*) from (select from wedsql.job_pool limit 1) pending"
_LAST = "select coalesce(max(wid), 0) from wedsql.instance"
_STEPS = "select count(*) from wedsql.wed_trace where trw !~ '^_' and wid > {0}"
_FINAL = "select count(*) from wedsql.instance where status = 'F' and wid > {0}"
_REGISTERED = "select count(*) from wedsql.worker"
_WAITING = "select count(*) from wedsql.worker where waiting"


class WedsqlContender(Contender):
    """Shared by all modes: the same database, the same start, the same counting."""

    kind = "ours"
    distributions = ("Django", "psycopg", "django-q2")
    starts_when_ready = True
    announces = False
    arguments: ClassVar[tuple[str, ...]]

    def __init__(self) -> None:
        self.cluster: Cluster | None = None
        self.before = 0
        """the highest instance before this race: a grown database has many that are final already"""

    def prepare(self, cluster: Cluster) -> str:
        self.cluster = cluster
        return site.template(cluster)

    def start(self, dsn: str, count: int) -> None:
        with psycopg.connect(dsn) as conn:
            self.before = scalar(conn, _LAST)
            site.start_many(conn, count)

    def environment(self, dsn: str, workers: int) -> dict[str, str]:
        if self.cluster is None:
            raise RuntimeError("prepare comes first")
        return site.environment(self.cluster, str(conninfo_to_dict(dsn)["dbname"]))

    def commands(self, dsn: str, workers: int) -> list[list[str]]:
        return [site.manage("wedworker", "--processes", str(workers), *self.arguments)]

    def ready(self, conn: psycopg.Connection, workers: int) -> bool:
        return scalar(conn, _WAITING) >= workers

    def steps(self, conn: psycopg.Connection) -> int:
        return scalar(conn, _STEPS.format(self.before))

    def final(self, conn: psycopg.Connection) -> int:
        # Counted only when nothing is pending, so that the polling does not slow the race.
        return 0 if scalar(conn, _PENDING) else scalar(conn, _FINAL.format(self.before))


class StepContender(WedsqlContender):
    """One commit per step, `workers` processes."""

    name = "wedsql-step"
    label = "WED-SQL, one commit a step"
    quick_counts = (16,)
    # As for most peers, the limit ends the race: no session runs out of jobs before the others.
    instances = 8_000
    arguments = ("--mode", "step")


class BatchContender(WedsqlContender):
    """Several steps per commit, `workers` processes."""

    name = "wedsql-batch"
    label = "WED-SQL, several steps a commit"
    counts = (1, 2, 4)
    quick_counts = (2, 4)
    # Five times as many instances as a peer's: with fewer the race would be too short to be timed.
    instances = 10_000
    arguments = ("--mode", "batch", "--batch", "200")


class DefaultContender(WedsqlContender):
    """As a user starts it, without a mode."""

    name = "wedsql-default"
    label = "WED-SQL, as started without a mode"
    counts = (1, 2, 4)
    quick_counts = (2, 4)
    instances = 10_000
    arguments = ()


class PaperContender(WedsqlContender):
    """The paper's client: a process serves one transition, so three is the minimum."""

    name = "wedsql-baseworker"
    label = "WED-SQL, BaseWorker"
    counts = (3, 15)
    quick_counts = (3,)
    arguments = ()

    def commands(self, dsn: str, workers: int) -> list[list[str]]:
        program = [sys.executable, "-m", "bench.work.paper", "--dsn", dsn, "--transition"]
        return [[*program, transition] for transition in sorted(SETS) for _ in range(workers // len(SETS))]

    def ready(self, conn: psycopg.Connection, workers: int) -> bool:
        return scalar(conn, _REGISTERED) >= workers


class ClusterContender(WedsqlContender):
    """In a Django-Q cluster of `workers` processes."""

    counts = (2,)
    quick_counts = (2,)
    mode: ClassVar[str]

    def environment(self, dsn: str, workers: int) -> dict[str, str]:
        extra = {"WEDSQL_Q_WORKERS": str(workers), "WEDSQL_Q_MODE": self.mode}
        return super().environment(dsn, workers) | extra

    def commands(self, dsn: str, workers: int) -> list[list[str]]:
        return [site.manage("qcluster")]

    def ready(self, conn: psycopg.Connection, workers: int) -> bool:
        return scalar(conn, _WAITING) >= 1  # the cluster's pusher is the process that waits for work


class ClusterStepContender(ClusterContender):
    """One commit per step."""

    name = "wedsql-cluster-step"
    label = "WED-SQL, Django-Q cluster, each step on its own"
    instances = 8_000
    mode = "step"


class ClusterBatchContender(ClusterContender):
    """Several steps per commit."""

    name = "wedsql-cluster-batch"
    label = "WED-SQL, Django-Q cluster, batched"
    instances = 10_000
    mode = "batch"
