"""DBOS: durable workflows as a Python library."""

from __future__ import annotations

import psycopg

from bench.cluster import Cluster, scalar
from bench.contenders.base import Peer


class Dbos(Peer):
    """One workflow per instance, run by threads; the tables counted are the engine's own.

    Here the start is part of the timed work (one commit of five): workflows queued beforehand and taken from
    a DBOS queue gave lower figures at 4 and 16.
    """

    name = module = "dbos"
    label = "DBOS"
    distributions = ("dbos", "SQLAlchemy", "psycopg")

    def install(self, cluster: Cluster, dsn: str) -> None:
        from dbos import DBOS

        from bench.peers.dbos import configure

        DBOS(config=configure(dsn, 4))
        DBOS.launch()
        DBOS.destroy()

    def start(self, dsn: str, count: int) -> None:
        """Do nothing: the worker process starts its workflows itself, `workers` at a time."""

    def environment(self, dsn: str, workers: int) -> dict[str, str]:
        return {"BENCH_INSTANCES": str(self.instances)}

    def steps(self, conn: psycopg.Connection) -> int:
        return scalar(conn, "select count(*) from dbos.operation_outputs")

    def final(self, conn: psycopg.Connection) -> int:
        return scalar(conn, "select count(*) from dbos.workflow_status where status = 'SUCCESS'")
