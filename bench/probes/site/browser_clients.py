"""The watching browsers, N lines in one process: print ``ready``, watch until a line is read, write arrivals.

Times are from the monotonic clock, which all processes of a machine share.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from pathlib import Path

from websockets.asyncio.client import ClientConnection, connect

from testkit.live import arguments

_AT_ONCE = 20  # lines opened at a time: two hundred at once would overflow the listen queue


async def watch(line: ClientConnection, greeted: asyncio.Event, seen: dict[int, float] | None) -> None:
    """Read frames, record when each instance first appeared unless `seen` is None, acknowledge."""
    async for text in line:
        now = time.monotonic()
        frame = json.loads(text)
        if frame["op"] == "hello":
            greeted.set()
        if seen is not None:
            for wid, _version in frame.get("ids", ()):
                seen.setdefault(wid, now)
        if "n" in frame:
            await line.send(json.dumps({"op": "ack", "n": frame["n"]}))


async def main() -> None:
    """Open the lines, wait for a line on stdin, write the arrivals at every browser as JSON."""
    parser = argparse.ArgumentParser()
    for name in ("port", "count", "kept"):
        parser.add_argument(f"--{name}", type=int, required=True)
    for name in ("path", "cookie", "out"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    limit = asyncio.Semaphore(_AT_ONCE)
    arrivals: list[dict[int, float]] = [{} for _ in range(options.kept)]

    async def browser(seen: dict[int, float] | None) -> asyncio.Task[None]:
        async with limit:
            line = await connect(**arguments(options.port, options.path, options.cookie))
            greeted = asyncio.Event()
            task = asyncio.create_task(watch(line, greeted, seen))
            await asyncio.wait_for(greeted.wait(), timeout=20)
            return task

    silent = [None] * (options.count - options.kept)
    tasks = await asyncio.gather(*(browser(seen) for seen in [*arrivals, *silent]))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.readline)
    for task in tasks:
        task.cancel()
    Path(options.out).write_text(json.dumps(arrivals))
    sys.stdout.write("written\n")


if __name__ == "__main__":
    asyncio.run(main())
