"""Measures other than throughput: latency, browsers, growth, triggers, footprint, pages, the designer."""

from __future__ import annotations

from collections.abc import Callable

from bench.probes import browser, designer, footprint, growth, latency, pages, triggers
from bench.probes.base import Stage
from bench.targets import Measure

ALL: dict[str, Callable[[Stage], list[Measure]]] = {
    "latency": latency.measure,
    "triggers": triggers.measure,
    "footprint": footprint.measure,
    "browser": browser.measure,
    "growth": growth.measure,
    "pages": pages.measure,
    "designer": designer.measure,
}
