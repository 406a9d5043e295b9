"""Measures other than throughput, such as latency, browsers, growth, footprint and large installations."""

from __future__ import annotations

from collections.abc import Callable

from bench.probes import (
    bulk_repair,
    children,
    devices,
    endurance,
    footprint,
    gateways,
    growth,
    inbox,
    latency,
    overload,
    people,
    processes,
    reaper,
    signals,
    triggers,
)
from bench.probes.base import Stage
from bench.probes.site import browser, designer, monitor, pages
from bench.targets import Measure

ALL: dict[str, Callable[[Stage], list[Measure]]] = {
    "latency": latency.measure,
    "triggers": triggers.measure,
    "footprint": footprint.measure,
    "browser": browser.measure,
    "growth": growth.measure,
    "pages": pages.measure,
    "designer": designer.measure,
    "monitor": monitor.measure,
    "devices": devices.measure,
    "endurance": endurance.measure,
    "bulk_repair": bulk_repair.measure,
    "signals": signals.measure,
    "children": children.measure,
    "gateways": gateways.measure,
    "overload": overload.measure,
    "inbox": inbox.measure,
    "people": people.measure,
    "processes": processes.measure,
    "reaper": reaper.measure,
}
ONLY_BY_NAME = {
    "endurance", "bulk_repair", "signals", "gateways", "children", "overload", "reaper", "devices",
}  # fmt: skip
"""those that run only when `--only` names them"""
