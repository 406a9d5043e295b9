"""Run times of handlers and waiting times of jobs, reported to the kernel every ten seconds.

Every run is counted. Waiting times are known to the kernel alone, so the report names a few jobs of each
period, and the kernel looks up when they were fired.
"""

from __future__ import annotations

import json
import logging
import time
from bisect import bisect_left
from typing import Any

import psycopg

from flows.timing import BOUNDS
from workers.client import maintenance
from workers.client.wire import Wire
from workers.logs import Named, summarize

log = logging.getLogger("workers.times")

EVERY = 10.0
WAITS = 50


class Times:
    """Times of the handlers of one process since the last report."""

    __slots__ = ("_due", "_runs", "_waits")

    def __init__(self) -> None:
        self._due = 0.0
        self._runs: dict[tuple[str, str], tuple[list[int], list[float]]] = {}
        self._waits: list[tuple[str, str, int, int, float]] = []

    def add(self, flow: str, job: Named, begun: float, first: bool) -> None:
        """Count a handler's run from `begun` (monotonic) until now; `first`: the job's first attempt."""
        seconds = time.monotonic() - begun
        found = self._runs.get((flow, job.trname))
        if found is None:
            found = self._runs[flow, job.trname] = [0] * (len(BOUNDS) + 1), [0.0]
        found[0][bisect_left(BOUNDS, seconds)] += 1
        found[1][0] += seconds
        if first and len(self._waits) < WAITS:
            self._waits.append((flow, job.trname, job.wid, job.job_id, begun))

    def report(self, wire: Wire, *, now: bool = False) -> None:
        """Report to the kernel when it is time to (`now`: in any case); raises ConnectionLost."""
        moment = time.monotonic()
        if not self._runs or not (now or moment >= self._due):
            return
        self._due = moment + EVERY
        runs, waits = self._runs, self._waits
        self._runs, self._waits = {}, []
        for flow in sorted({flow for flow, _name in runs}):
            entries = [_entry(f, n, *found, waits, moment) for (f, n), found in runs.items() if f == flow]
            try:
                wire.round(maintenance.count_times(flow, json.dumps(entries)))
            except psycopg.Error as error:  # a dropped flow, or an older kernel: not fatal
                log.info("times of %s are not counted: %s", flow, summarize(error), extra={"flow": flow})


def _entry(
    flow: str,
    name: str,
    counts: list[int],
    seconds: list[float],
    waits: list[tuple[str, str, int, int, float]],
    moment: float,
) -> dict[str, Any]:
    mine = [[wid, job, moment - begun] for of, to, wid, job, begun in waits if (of, to) == (flow, name)]
    return {"transition": name, "counts": counts, "seconds": seconds[0], "waits": mine}
