"""pgqueuer: a job queue with LISTEN/NOTIFY and batched dequeue."""

from __future__ import annotations

import asyncio

import psycopg

from bench.cluster import Cluster
from bench.contenders.base import ModuleContender
from bench.contenders.rows import SCHEMA, QueueContender, insert_instances


class PgQueuerContender(QueueContender, ModuleContender):
    """Three entrypoints; a step's rows and the next job commit in one transaction."""

    name = "pgqueuer"
    label = "pgqueuer"
    kind = "peer"
    quick_counts = (16,)
    distributions = ("pgqueuer", "asyncpg")
    module = "bench.peers.pgqueuer"
    note = "three entrypoints, asyncpg, durable tables; batch = workers"

    def prepare(self, cluster: Cluster) -> str:
        dsn = cluster.create_database("tpl_pgqueuer")
        with psycopg.connect(dsn) as conn:
            conn.execute(SCHEMA)
        asyncio.run(_install(dsn))
        return "tpl_pgqueuer"

    def start(self, dsn: str, count: int) -> None:
        with psycopg.connect(dsn) as conn:
            wids = insert_instances(conn, count)
        asyncio.run(_enqueue(dsn, wids))


async def _install(dsn: str) -> None:
    import asyncpg
    from pgqueuer.db import AsyncpgDriver
    from pgqueuer.queries import Queries

    connection = await asyncpg.connect(dsn)
    await Queries(AsyncpgDriver(connection)).install()
    await connection.close()


async def _enqueue(dsn: str, wids: list[int]) -> None:
    import asyncpg
    from pgqueuer.db import AsyncpgDriver
    from pgqueuer.queries import Queries

    connection = await asyncpg.connect(dsn)
    steps = [step for _ in wids for step in ("tr_a2", "tr_a3")]
    payloads: list[bytes | None] = [str(wid).encode() for wid in wids for _ in range(2)]
    await Queries(AsyncpgDriver(connection)).enqueue(steps, payloads, [0] * len(steps))
    await connection.close()
