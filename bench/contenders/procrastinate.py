"""procrastinate: a task queue whose logic is in SQL functions."""

from __future__ import annotations

import asyncio

from bench.cluster import Cluster
from bench.contenders.base import Layout
from bench.contenders.rows import QueuePeer


class Procrastinate(QueuePeer):
    """Three async tasks on psycopg pools, with LISTEN/NOTIFY."""

    name = label = module = "procrastinate"
    distributions = ("procrastinate", "psycopg")

    def install(self, cluster: Cluster, dsn: str) -> None:
        super().install(cluster, dsn)
        asyncio.run(_install(dsn))

    def layout(self, workers: int) -> Layout:
        return Layout(1, workers) if workers < 4 else Layout(2, workers // 2)

    def enqueue(self, dsn: str, wids: list[int]) -> None:
        asyncio.run(_defer(dsn, wids))


async def _install(dsn: str) -> None:
    from bench.peers.procrastinate import build

    async with build(dsn, 1).open_async() as app:
        await app.schema_manager.apply_schema_async()


async def _defer(dsn: str, wids: list[int]) -> None:
    from bench.peers.procrastinate import build

    async with build(dsn, 1).open_async() as app:
        for step in ("tr_a2", "tr_a3"):
            await app.configure_task(step).batch_defer_async(*({"wid": wid} for wid in wids))
