"""Page times on a million instances: EXPLAIN ANALYZE of every statement that an instance list sends."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from bench import site
from bench.probes.base import Stage
from bench.probes.growth import GROWN, grow
from bench.targets import Measure
from bench.work.definition import FLOW

_WITHOUT = "without an index"  # shown, but the target covers indexed attributes only


def measure(stage: Stage) -> list[Measure]:
    """Time every first page of the list as the web role: unfiltered, by status, filtered by attributes."""
    size = 20_000 if stage.quick else 1_000_000
    grow(stage, size)
    with stage.cluster.session(GROWN) as conn:
        conn.execute(f"create index if not exists a2_wid on {FLOW}.wed_flow (a2, wid)")
    environment = {**os.environ, **site.environment(stage.cluster, GROWN, "web")}
    command = [sys.executable, "-m", "bench.probes.site.page_queries"]
    done = subprocess.run(
        command, cwd=site.CHECKOUT, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[-400:])
    found: dict[str, float] = json.loads(done.stdout)
    measures = [
        Measure(f"page-{name}", f"page of {size:,} instances: {name}", value, "ms", "in the database")
        for name, value in found.items()
    ]
    judged = {name: value for name, value in found.items() if _WITHOUT not in name}
    slowest = max(judged, key=lambda name: judged[name])
    key = "page-list" if not stage.quick else f"page-list-{size}"
    return [*measures, Measure(key, "slowest first page of the instance list", found[slowest], "ms", slowest)]
