"""absurd: durable tasks whose engine is written in SQL functions; the Python SDK calls them."""

from __future__ import annotations

import os
import sys
from typing import Any

import psycopg

from bench import site
from bench.cluster import Cluster, scalar
from bench.contenders.base import Layout, Peer

QUEUE = "bench"


class Absurd(Peer):
    """One task per instance, its three steps as checkpoints; t_, r_ and c_ are the engine's own tables."""

    name = label = module = "absurd"
    quick_counts = (16,)
    distributions = ("absurd-sdk", "absurdctl", "psycopg")

    def install(self, cluster: Cluster, dsn: str) -> None:
        path = f"{cluster.bindir}{os.pathsep}{os.environ.get('PATH', '')}"
        command = [sys.executable, "-c", "import sys, absurdctl; sys.exit(absurdctl.main())"]
        for arguments in (["init"], ["create-queue", QUEUE]):
            site.output([*command, *arguments], {"ABSURD_DATABASE_URL": dsn, "PATH": path})

    def layout(self, workers: int) -> Layout:
        return Layout(workers, 1)

    def start(self, dsn: str, count: int) -> None:
        import absurd_sdk

        with psycopg.connect(dsn) as conn:
            # The class is annotated for autocommit connections; in one transaction all tasks start together.
            app: Any = absurd_sdk.Absurd(conn, queue_name=QUEUE)
            for number in range(count):
                app.spawn("advance", {"number": str(number)}, queue=QUEUE)

    def steps(self, conn: psycopg.Connection) -> int:
        return scalar(conn, "select count(*) from absurd.c_bench")

    def final(self, conn: psycopg.Connection) -> int:
        return scalar(conn, "select count(*) from absurd.t_bench where state = 'completed'")
