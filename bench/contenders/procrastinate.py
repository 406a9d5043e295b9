"""procrastinate: a task queue whose logic is in SQL functions."""

from __future__ import annotations

import asyncio

import psycopg

from bench.cluster import Cluster
from bench.contenders.base import Layout, ModuleContender
from bench.contenders.rows import SCHEMA, QueueContender, insert_instances


class ProcrastinateContender(QueueContender, ModuleContender):
    """Three async tasks; a step's rows and the next job commit in one transaction."""

    name = "procrastinate"
    label = "procrastinate"
    kind = "peer"
    distributions = ("procrastinate", "psycopg")
    module = "bench.peers.procrastinate"
    note = "two processes from 4 workers on, three async tasks, psycopg pools, LISTEN/NOTIFY on"

    def prepare(self, cluster: Cluster) -> str:
        dsn = cluster.create_database("tpl_procrastinate")
        with psycopg.connect(dsn) as conn:
            conn.execute(SCHEMA)
        asyncio.run(_install(dsn))
        return "tpl_procrastinate"

    def layout(self, workers: int) -> Layout:
        return Layout(1, workers) if workers < 4 else Layout(2, workers // 2)

    def start(self, dsn: str, count: int) -> None:
        with psycopg.connect(dsn) as conn:
            wids = insert_instances(conn, count)
        asyncio.run(_defer(dsn, wids))


async def _install(dsn: str) -> None:
    import procrastinate

    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=dsn))
    async with app.open_async():
        await app.schema_manager.apply_schema_async()


async def _defer(dsn: str, wids: list[int]) -> None:
    from bench.peers.procrastinate import build

    app = build(dsn, 1)
    async with app.open_async():
        for step in ("tr_a2", "tr_a3"):
            await app.configure_task(step).batch_defer_async(*({"wid": wid} for wid in wids))
