"""pgqueuer's worker: its QueueManager and an asyncpg pool; a step queues the next in its own transaction."""

from __future__ import annotations

import asyncio

import asyncpg
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgDriver
from pgqueuer.models import Job
from pgqueuer.queries import Queries

from bench.contenders.rows import STEPS, move
from bench.peers.gate import arguments, run_until_terminated, wait_for_go


async def perform(pool: asyncpg.Pool, step: str, wid: int) -> None:
    """Run one step: update the instance, add its history, queue the last one when both others are done."""
    async with pool.acquire() as connection, connection.transaction():
        both = await connection.fetchval(move(step, "$1"), wid)
        if both and step != "tr_final":
            await Queries(AsyncpgDriver(connection)).enqueue("tr_final", str(wid).encode())


def register(queue: PgQueuer, pool: asyncpg.Pool) -> None:
    """Register one entrypoint per step."""
    for step in STEPS:

        @queue.entrypoint(step)
        async def handle(job: Job, step: str = step) -> None:
            await perform(pool, step, int(job.payload or b"0"))


async def main() -> None:
    """Serve the queue until SIGTERM."""
    options = arguments()
    pool = await asyncpg.create_pool(options.dsn, min_size=options.concurrency, max_size=options.concurrency)
    queue = PgQueuer(AsyncpgDriver(await asyncpg.connect(options.dsn)))
    register(queue, pool)
    wait_for_go()
    # pgqueuer limits a worker by its batch and by at least twice as many running jobs.
    serving = queue.run(batch_size=options.concurrency, max_concurrent_tasks=2 * options.concurrency)
    work = asyncio.create_task(serving)
    await run_until_terminated(work)


if __name__ == "__main__":
    asyncio.run(main())
