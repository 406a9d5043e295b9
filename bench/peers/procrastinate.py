"""procrastinate's worker: async tasks on its psycopg pool, the next step deferred in the same transaction."""

from __future__ import annotations

import asyncio

import procrastinate
import psycopg_pool

from bench.contenders.rows import STEPS, move
from bench.peers.gate import arguments, run_until_terminated, wait_for_go


def build(dsn: str, concurrency: int) -> procrastinate.App:
    """Return the app with its three tasks; the tasks write their rows through a separate pool."""
    connector = procrastinate.PsycopgConnector(conninfo=dsn, min_size=2, max_size=concurrency + 2)
    app = procrastinate.App(connector=connector)
    pool = psycopg_pool.AsyncConnectionPool(dsn, min_size=1, max_size=concurrency, open=False)
    for step in STEPS:

        @app.task(name=step)
        async def handle(wid: int, step: str = step) -> None:
            await perform(app, pool, step, wid)

    app.pool = pool  # type: ignore[attr-defined]
    return app


async def perform(
    app: procrastinate.App, pool: psycopg_pool.AsyncConnectionPool, step: str, wid: int
) -> None:
    """Run one step: update the instance, add its history, defer the last one when both others are done."""
    async with pool.connection() as connection:
        cursor = await connection.execute(move(step, "%s").encode(), [wid])
        row = await cursor.fetchone()
        if row and row[0] and step != "tr_final":
            await app.configure_task("tr_final", connection=connection).defer_async(wid=wid)


async def main() -> None:
    """Serve the queue until SIGTERM."""
    options = arguments()
    app = build(options.dsn, options.concurrency)
    async with app.open_async(), app.pool:  # type: ignore[attr-defined]
        wait_for_go()
        work = asyncio.create_task(
            app.run_worker_async(concurrency=options.concurrency, install_signal_handlers=False)
        )
        await run_until_terminated(work)


if __name__ == "__main__":
    asyncio.run(main())
