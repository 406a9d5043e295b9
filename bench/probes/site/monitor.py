"""The largest installation that the monitor is made for: its pages, and live updates under load."""

from __future__ import annotations

import os

from bench.probes.base import Stage
from bench.probes.site import browser, page_times
from bench.targets import Measure
from bench.work.population import STEPS, populate

DATABASE = "populated"
INSTANCES = 1_000_000
_SMALL = 20_000


def measure(stage: Stage) -> list[Measure]:
    """Measure on 1,000,000 instances with ten steps each (quick: 20,000, which is not judged)."""
    size = int(os.environ.get("WED_BENCH_INSTANCES", _SMALL if stage.quick else INSTANCES))
    stage.database(DATABASE)
    with stage.cluster.session(DATABASE) as conn:
        counting = populate(conn, size)
    pages = page_times.run(stage, DATABASE, "bench.probes.site.monitor_pages")
    found = page_times.measures("monitor", "monitor", pages)
    found.append(Measure("monitor-count", f"counting {size * STEPS:,} steps into figures", counting, "s"))
    found += browser.watch(stage, DATABASE, 3 if stage.quick else 20, "monitor-live")
    return found if size >= INSTANCES else [each.unjudged(size) for each in found]
