"""WED-SQL in its modes: one commit per step, several steps per commit, and in the Django-Q cluster."""

from __future__ import annotations

import sys

import psycopg
from psycopg.conninfo import conninfo_to_dict

from bench import site
from bench.cluster import Cluster, scalar
from bench.contenders.base import Contender
from bench.work.definition import SETS

_PENDING = "select count(*) from (select from wedsql.job_pool limit 1) pending"
_LAST = "select coalesce(max(wid), 0) from wedsql.instance"
_STEPS = "select count(*) from wedsql.wed_trace where trw !~ '^_' and wid > {0}"
_FINAL = "select count(*) from wedsql.instance where status = 'F' and wid > {0}"
_REGISTERED = "select count(*) from wedsql.worker"
WAITING = "select count(*) from wedsql.worker where waiting"


class WedsqlContender(Contender):
    """`wedworker` with `workers` processes in one mode; the other programs differ in a few methods."""

    kind = "ours"
    distributions = ("Django", "psycopg", "django-q2")
    starts_when_ready = True
    announces = False
    cluster: Cluster | None = None
    before = 0
    """the highest instance before this race: a grown database has many that are final already"""

    def __init__(
        self,
        name: str,
        label: str,
        counts: tuple[int, ...],
        quick_counts: tuple[int, ...],
        instances: int,
        mode: str = "",
    ) -> None:
        self.name = f"wedsql-{name}"
        self.label = f"WED-SQL, {label}"
        self.counts, self.quick_counts, self.instances = counts, quick_counts, instances
        self.mode = mode

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
        return [site.manage("wedworker", "--processes", str(workers), *self.mode.split())]

    def ready(self, conn: psycopg.Connection, workers: int) -> bool:
        return bool(scalar(conn, WAITING) >= workers)

    def steps(self, conn: psycopg.Connection) -> int:
        return int(scalar(conn, _STEPS.format(self.before)))

    def final(self, conn: psycopg.Connection) -> int:
        # Counted only when nothing is pending, so that the polling does not slow the race.
        return 0 if scalar(conn, _PENDING) else scalar(conn, _FINAL.format(self.before))


class PaperContender(WedsqlContender):
    """The paper's client: a process serves one transition, so three is the minimum."""

    def commands(self, dsn: str, workers: int) -> list[list[str]]:
        program = [sys.executable, "-m", "bench.work.paper", "--dsn", dsn, "--transition"]
        return [[*program, transition] for transition in sorted(SETS) for _ in range(workers // len(SETS))]

    def ready(self, conn: psycopg.Connection, workers: int) -> bool:
        return bool(scalar(conn, _REGISTERED) >= workers)


class ClusterContender(WedsqlContender):
    """A Django-Q cluster of `workers` processes."""

    def environment(self, dsn: str, workers: int) -> dict[str, str]:
        extra = {"WEDSQL_Q_WORKERS": str(workers), "WEDSQL_Q_MODE": self.mode}
        return super().environment(dsn, workers) | extra

    def commands(self, dsn: str, workers: int) -> list[list[str]]:
        return [site.manage("qcluster")]

    def ready(self, conn: psycopg.Connection, workers: int) -> bool:
        return super().ready(conn, 1)  # the cluster's pusher is the process that waits for work


# As for most peers, the limit ends the race of single steps: no session runs out of jobs before the others.
# Batches have five times as many instances as a peer: with fewer the race would be too short to be timed.
STEP = WedsqlContender("step", "one commit a step", (1, 4, 16), (16,), 8_000, "--mode step")
BATCH = WedsqlContender(
    "batch", "several steps a commit", (1, 2, 4), (2, 4), 10_000, "--mode batch --batch 200"
)
ALL = (
    STEP,
    BATCH,
    WedsqlContender("default", "as started without a mode", (1, 2, 4), (2, 4), 10_000),
    ClusterContender("cluster-step", "Django-Q cluster, each step on its own", (2,), (2,), 8_000, "step"),
    ClusterContender("cluster-batch", "Django-Q cluster, batched", (2,), (2,), 10_000, "batch"),
    PaperContender("baseworker", "BaseWorker", (3, 15), (3,), 2_000),
)
