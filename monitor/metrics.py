"""Prometheus' text format, written by hand: a dozen lines are not worth a dependency."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from flows.queries import stats
from monitor.listener import all_listeners

Labels: TypeAlias = Mapping[str, object]
Sample: TypeAlias = tuple[Labels, float]


def escape(value: object) -> str:
    """A label's value as the format wants it."""
    return str(value).replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def family(name: str, help_text: str, samples: Iterable[Sample], kind: str = "gauge") -> str:
    """One metric with its samples."""
    lines = [f"# HELP {name} {help_text}", f"# TYPE {name} {kind}"]
    for labels, value in samples:
        inner = ",".join(f'{key}="{escape(label)}"' for key, label in labels.items())
        lines.append(f"{name}{{{inner}}} {value:g}" if inner else f"{name} {value:g}")
    return "\n".join(lines) + "\n"


def exposition() -> str:
    """All metrics, read from the database and from this process."""
    return "".join([*_instances(), *_jobs(), *_processes()])


def _instances() -> Iterable[str]:
    cap = f"counted up to {stats.STATS_CAP}"
    found = stats.instances()
    yield family("wedsql_instances", f"Instances by flow and status, {cap}.",
                 [({"flow": r["flow"], "status": r["status"]}, min(r["n"], stats.STATS_CAP)) for r in found])  # fmt: skip
    yield family("wedsql_instances_estimate", "All kept instances of a flow, as the planner estimates.",
                 [({"flow": r["flow"]}, r["instances"]) for r in stats.estimates()])  # fmt: skip
    yield family("wedsql_exceptions", f"Instances in exception, {cap}.",
                 [({"flow": r["flow"]}, min(r["n"], stats.STATS_CAP)) for r in found if r["status"] == "E"])  # fmt: skip
    yield family("wedsql_exception_oldest_seconds", "Age of the oldest open exception.",
                 [({"flow": r["flow"]}, max(0.0, r["oldest_seconds"])) for r in stats.exceptions()])  # fmt: skip


def _jobs() -> Iterable[str]:
    found = [({"flow": r["flow"], "transition": r["transition"]}, r) for r in stats.jobs()]
    for state, meaning in (
        ("pending", "Jobs that wait for a worker"),
        ("leased", "Jobs that somebody holds by a lease"),
        ("parked", "Jobs that gave up and wait for a person"),
        ("late", "Jobs past their pickup deadline or lease"),
    ):
        yield family(f"wedsql_jobs_{state}", f"{meaning}.", [(labels, r[state]) for labels, r in found])
    yield family("wedsql_queue_age_seconds", "Age of the oldest job that waits for a worker, 0 when none waits.",
                 [(labels, max(0.0, r["oldest_seconds"])) for labels, r in found])  # fmt: skip


def _processes() -> Iterable[str]:
    yield family("wedsql_workers_alive", "Worker processes heard of in the last half minute.",
                 [({"kind": r["kind"]}, r["n"]) for r in stats.workers()])  # fmt: skip
    yield family("wedsql_notify_queue_usage", "How full PostgreSQL's notification queue is, 0 to 1.",
                 [({}, stats.queue_usage())])  # fmt: skip
    found = all_listeners()
    watching = sum(len(each.hub.watchers) for each in found)
    lags = [
        0.0 if each.hub.live else time.time() - each.hub.stale_since for each in found if each.hub.watchers
    ]
    yield family("wedsql_live_watchers", "Open live pages of this process.", [({}, watching)])
    yield family("wedsql_listener_lag_seconds", "How long this process has not heard the kernel, 0 when it listens.",
                 [({}, max(lags, default=0.0))])  # fmt: skip
