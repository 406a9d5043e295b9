"""absurd: durable tasks whose engine is written in SQL functions; the Python SDK calls them."""

from __future__ import annotations

import os
import sys
from typing import Any

import psycopg

from bench import site
from bench.cluster import Cluster
from bench.contenders.base import Layout, ModuleContender, scalar

QUEUE = "bench"


class AbsurdContender(ModuleContender):
    """One task per instance, its three steps as checkpoints; t_, r_ and c_ are the engine's own tables."""

    name = "absurd"
    label = "absurd"
    kind = "peer"
    quick_counts = (16,)
    distributions = ("absurd-sdk", "absurdctl", "psycopg")
    module = "bench.peers.absurd"
    note = "one task of three checkpoints, single worker processes, batches of ten, polling at 10 ms"

    def prepare(self, cluster: Cluster) -> str:
        dsn = cluster.create_database("tpl_absurd")
        for arguments in (["init"], ["create-queue", QUEUE]):
            self._absurdctl(cluster, dsn, arguments)
        return "tpl_absurd"

    def _absurdctl(self, cluster: Cluster, dsn: str, arguments: list[str]) -> None:
        path = f"{cluster.bindir}{os.pathsep}{os.environ.get('PATH', '')}"
        code = "import sys, absurdctl; sys.exit(absurdctl.main())"
        site.output([sys.executable, "-c", code, *arguments], {"ABSURD_DATABASE_URL": dsn, "PATH": path})

    def layout(self, workers: int) -> Layout:
        return Layout(workers, 1)

    def start(self, dsn: str, count: int) -> None:
        from absurd_sdk import Absurd

        with psycopg.connect(dsn) as conn:
            # The class is annotated for autocommit connections; in one transaction all tasks start together.
            app: Any = Absurd(conn, queue_name=QUEUE)
            for number in range(count):
                app.spawn("advance", {"number": str(number)}, queue=QUEUE)

    def steps(self, conn: psycopg.Connection) -> int:
        return scalar(conn, "select count(*) from absurd.c_bench")

    def final(self, conn: psycopg.Connection) -> int:
        return scalar(conn, "select count(*) from absurd.t_bench where state = 'completed'")
