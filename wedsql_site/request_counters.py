"""Counts of this process's requests for the health page and the metrics."""

from __future__ import annotations

from monitor.usage import Requests
from wedsql_site import per_address
from wedsql_site.request_threads import lanes


def requests() -> Requests:
    """Return the sums over all lanes of request threads, and the connections refused per address."""
    found = lanes()
    return Requests(
        busy=sum(lane.busy for lane in found),
        limit=sum(lane.size for lane in found),
        waiting=sum(lane.waiting for lane in found),
        rejected=sum(lane.rejected for lane in found),
        connections_refused=per_address.counts.refused,
    )
