"""Counts of this process's requests for the health page and the metrics."""

from __future__ import annotations

from monitor.metrics.usage import Requests
from wedsql_site.web import per_address
from wedsql_site.web.request_threads import request_pools


def requests() -> Requests:
    """Return the sums over all pools of request threads, and the connections refused per address."""
    found = request_pools()
    return Requests(
        busy=sum(pool.busy for pool in found),
        limit=sum(pool.size for pool in found),
        waiting=sum(pool.waiting for pool in found),
        rejected=sum(pool.rejected for pool in found),
        connections_refused=per_address.counts.refused,
    )
