"""Prometheus' text format; too small for a dependency."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import TypeAlias

Labels: TypeAlias = Mapping[str, object]
Sample: TypeAlias = tuple[Labels, float]
Buckets: TypeAlias = tuple[Labels, Sequence[int], float]


def escape(value: object) -> str:
    """Return the value of a label with its special characters escaped."""
    return str(value).replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def family(name: str, help_text: str, samples: Iterable[Sample], kind: str = "gauge") -> str:
    """Return one metric with its samples."""
    lines = [f"# HELP {name} {help_text}", f"# TYPE {name} {kind}"]
    for labels, value in samples:
        inner = _inner(labels)
        lines.append(f"{name}{{{inner}}} {value:.15g}" if inner else f"{name} {value:.15g}")
    return "\n".join(lines) + "\n"


def histogram(name: str, help_text: str, bounds: Sequence[float], found: Iterable[Buckets]) -> str:
    """Return one histogram: each of `found` has the counts of its buckets (len(bounds) + 1) and their sum."""
    lines = [f"# HELP {name} {help_text}", f"# TYPE {name} histogram"]
    for labels, counts, total in found:
        inner = _inner(labels)
        ends = [*(f"{bound:g}" for bound in bounds), "+Inf"]
        summed = list(accumulate(counts))
        lines += [
            f'{name}_bucket{{{inner},le="{end}"}} {count}' for end, count in zip(ends, summed, strict=True)
        ]
        lines += [f"{name}_sum{{{inner}}} {total:.15g}", f"{name}_count{{{inner}}} {summed[-1]}"]
    return "\n".join(lines) + "\n"


def _inner(labels: Labels) -> str:
    return ",".join(f'{key}="{escape(label)}"' for key, label in labels.items())
