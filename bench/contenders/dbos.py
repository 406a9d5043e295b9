"""DBOS: durable workflows as a Python library."""

from __future__ import annotations

import psycopg

from bench.cluster import Cluster
from bench.contenders.base import ModuleContender, scalar


class DbosContender(ModuleContender):
    """One workflow per instance; workflow_status and operation_outputs are the engine's own tables.

    Here the start is part of the timed work (one commit of five): workflows queued beforehand and taken from
    a DBOS queue gave lower figures at 4 and 16.
    """

    name = "dbos"
    label = "DBOS"
    kind = "peer"
    distributions = ("dbos", "SQLAlchemy", "psycopg")
    module = "bench.peers.dbos"
    note = "one workflow of three steps run by `workers` threads; a DBOS queue was slower"

    def prepare(self, cluster: Cluster) -> str:
        from dbos import DBOS

        from bench.peers.dbos import configure

        dsn = cluster.create_database("tpl_dbos")
        DBOS(config=configure(dsn, 4))
        DBOS.launch()
        DBOS.destroy()
        return "tpl_dbos"

    def start(self, dsn: str, count: int) -> None:
        """Do nothing: the worker process starts its workflows itself, `workers` at a time."""

    def environment(self, dsn: str, workers: int) -> dict[str, str]:
        return {"BENCH_INSTANCES": str(self.instances)}

    def steps(self, conn: psycopg.Connection) -> int:
        return scalar(conn, "select count(*) from dbos.operation_outputs")

    def final(self, conn: psycopg.Connection) -> int:
        return scalar(conn, "select count(*) from dbos.workflow_status where status = 'SUCCESS'")
