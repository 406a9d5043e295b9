"""The start protocol of a worker process: print ``ready``, wait for a line, run until SIGTERM."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys


def arguments() -> argparse.Namespace:
    """Parse ``--dsn`` and ``--concurrency``, which every worker program has."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--dsn", required=True)
    parser.add_argument("--concurrency", type=int, default=1)
    return parser.parse_args()


def wait_for_go() -> None:
    """Print ``ready`` when imports and connections are done, and block until the race sends a line."""
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()


async def run_until_terminated(work: asyncio.Task[None]) -> None:
    """Run a worker's endless task until SIGTERM."""
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    stopped = asyncio.create_task(stop.wait())
    await asyncio.wait({work, stopped}, return_when=asyncio.FIRST_COMPLETED)
    if work.done():
        work.result()
    work.cancel()
