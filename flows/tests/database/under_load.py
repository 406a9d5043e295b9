"""Clients that start instances and perform their jobs while a test publishes a definition."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from flows import api
from flows.errors import NoMatch, StaleJob, TryAgain
from flows.tests.kit import Kit
from testkit.waiting import until

TRANSITIONS = ["tr_pay", "tr_send"]


@contextmanager
def under_load(kit: Kit) -> Iterator[None]:
    """Run two clients of the flow; enter when both transitions fire, and check at the end that they go on."""
    stop = threading.Event()
    steps: Counter[str] = Counter()
    threads = [threading.Thread(target=_work, args=[kit, seed, stop, steps]) for seed in range(2)]
    for thread in threads:
        thread.start()
    try:
        until(lambda: min(steps[name] for name in TRANSITIONS) >= 20)
        yield
        done = steps.total()
        until(lambda: steps.total() >= done + 10, what="the clients make no step after the publication")
        assert all(thread.is_alive() for thread in threads)
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def _work(kit: Kit, seed: int, stop: threading.Event, steps: Counter[str]) -> None:
    draw = random.Random(seed)  # noqa: S311 - no secret
    conn = kit.connect()
    while not stop.is_set():
        with suppress(NoMatch, TryAgain):  # the new definition may take some first states no longer
            api.instances.start(kit.name, {"items": draw.randint(0, 9)}, conn=conn)
        # The publication may withdraw jobs that are held, and results may have waited for it.
        with suppress(StaleJob, TryAgain), conn.transaction():
            if job := api.jobs.take(kit.name, TRANSITIONS, conn=conn):
                new = "sent" if job.transition == "tr_send" else draw.choice(["paid", "paid", None])
                api.jobs.complete(job, {"state": new}, conn=conn)
                steps[job.transition] += 1
