"""Prometheus' text format, written by hand: a dozen lines are not worth a dependency."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from flows.queries import health, stats
from flows.queries.base import Row
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


def _by(found: Iterable[Row], value: str, *labels: str) -> list[Sample]:
    """Samples of one column of rows, labelled by others; ages below zero (clocks differ) count as none."""
    return [({label: r[label] for label in labels}, max(0, r[value])) for r in found]


def _instances() -> Iterable[str]:
    cap = f"counted up to {stats.STATS_CAP}"
    found = stats.instances()
    stuck = [r for r in found if r["status"] == "E"]
    yield family(
        "wedsql_instances", f"Instances by flow and status, {cap}.", _by(found, "n", "flow", "status")
    )
    yield family(
        "wedsql_instances_estimate",
        "All kept instances of a flow, as the planner estimates.",
        _by(stats.estimates(), "instances", "flow"),
    )
    yield family("wedsql_exceptions", f"Instances in exception, {cap}.", _by(stuck, "n", "flow"))
    yield family(
        "wedsql_exception_oldest_seconds",
        "Age of the oldest open exception.",
        _by(stats.exceptions(), "oldest_seconds", "flow"),
    )


def _jobs() -> Iterable[str]:
    found = stats.jobs()
    for name, value, meaning in (
        ("wedsql_jobs_pending", "pending", "Jobs that wait for a worker."),
        ("wedsql_jobs_leased", "leased", "Jobs that somebody holds by a lease."),
        ("wedsql_jobs_parked", "parked", "Jobs that gave up and wait for a person."),
        ("wedsql_jobs_late", "late", "Jobs past their pickup deadline or lease."),
        ("wedsql_queue_age_seconds", "oldest_seconds", "Age of the oldest waiting job, 0 when none waits."),
    ):
        yield family(name, meaning, _by(found, value, "flow", "transition"))


def _processes() -> Iterable[str]:
    yield family(
        "wedsql_workers_alive", "Workers heard of in the last half minute.", _by(stats.workers(), "n", "kind")
    )
    yield family(
        "wedsql_notify_queue_usage",
        "How full PostgreSQL's notification queue is, 0 to 1.",
        [({}, stats.queue_usage())],
    )
    watched = [each.hub for each in all_listeners() if each.hub.watchers]
    lag = max((0.0 if hub.live else time.time() - hub.stale_since for hub in watched), default=0.0)
    yield family(
        "wedsql_live_watchers",
        "Open live pages of this process.",
        [({}, sum(len(h.watchers) for h in watched))],
    )
    yield from _care()
    yield family(
        "wedsql_listener_lag_seconds", "How long this process has heard nothing of the kernel.", [({}, lag)]
    )


def _care() -> Iterable[str]:
    times, disk = health.times(), health.disk()
    age: list[Sample] = [({}, max(0.0, times.reaper_age.total_seconds()))] if times.reaper_age else []
    yield family("wedsql_reaper_age_seconds", "Since the last round of the reaper.", age)
    yield family(
        "wedsql_clock_behind_seconds",
        "How much older the database's clock is than its newest history.",
        [({}, times.behind.total_seconds())],
    )
    known = [] if disk is None else [disk]
    for name, meaning, values in (
        ("wedsql_disk_free_bytes", "Free on the database's disk, as last reported.", [d.free for d in known]),
        ("wedsql_disk_bytes", "Size of the database's disk.", [d.total for d in known]),
    ):
        yield family(name, meaning, [({}, value) for value in values])
