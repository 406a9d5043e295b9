"""pgqueuer: a job queue with LISTEN/NOTIFY and batched dequeue."""

from __future__ import annotations

import asyncio

from bench.cluster import Cluster
from bench.contenders.rows import QueuePeer


class PgQueuer(QueuePeer):
    """Three entrypoints in a process; its batch is the number of workers."""

    name = label = module = "pgqueuer"
    quick_counts = (16,)
    distributions = ("pgqueuer", "asyncpg")

    def install(self, cluster: Cluster, dsn: str) -> None:
        super().install(cluster, dsn)
        asyncio.run(_call(dsn, "install"))

    def enqueue(self, dsn: str, wids: list[int]) -> None:
        steps = ["tr_a2", "tr_a3"] * len(wids)
        payloads = [str(wid).encode() for wid in wids for _ in range(2)]
        asyncio.run(_call(dsn, "enqueue", steps, payloads, [0] * len(steps)))


async def _call(dsn: str, query: str, *values: object) -> None:
    import asyncpg
    from pgqueuer.db import AsyncpgDriver
    from pgqueuer.queries import Queries

    connection = await asyncpg.connect(dsn)
    await getattr(Queries(AsyncpgDriver(connection)), query)(*values)
    await connection.close()
