"""Measures other than throughput: latency, browsers, growth, triggers, footprint, pages."""

from __future__ import annotations

from collections.abc import Callable

from bench.probes.base import Stage
from bench.targets import Measure

ALL: dict[str, Callable[[Stage], list[Measure]]] = {}
