"""Compute the figures that have a target from the runs of the contest."""

from __future__ import annotations

from bench.results import Results
from bench.targets import FLOOR, Measure

# target, contender, the concurrencies it covers
_RATIOS = (
    ("step16", "wedsql-step", (16,)),
    ("batch", "wedsql-batch", (2, 4)),
    ("default", "wedsql-default", (2, 4)),
    ("cluster-step", "wedsql-cluster-step", (2,)),
    ("cluster-batch", "wedsql-cluster-batch", (2,)),
)


def throughput_measures(results: Results) -> list[Measure]:
    """Return the ratios that have a target, of the contenders that ran."""
    found = []
    for key, contender, counts in _RATIOS:
        ratios = [
            results.ratio(contender, workers).median for workers in counts if results.of(contender, workers)
        ]
        if ratios:
            found.append(Measure(key, results.labels[contender][1], max(ratios), FLOOR))
    return found + _against_peers(results)


def _against_peers(results: Results) -> list[Measure]:
    ours, peer = results.best("ours"), results.best("peer")
    if ours is None or peer is None:
        return []
    detail = f"{results.labels[ours[0]][1]} at {ours[1]} against {results.labels[peer[0]][1]} at {peer[1]}"
    return [Measure("best-peer", "our best against the best peer", ours[2] / peer[2], "times", detail)]
