"""All metrics for a monitoring system; the cost of each is independent of the size of the history."""

from __future__ import annotations

import time
from collections.abc import Iterable

from flows.queries.base import Row
from flows.queries.server import health, invariants, stats, storage
from flows.timing import BOUNDS
from monitor.metrics.exposition import Sample, family, histogram
from monitor.metrics.usage import usage
from pages.live.listener import all_listeners


def exposition() -> str:
    """Return all metrics, read from the database and from this process."""
    kernel = [*_instances(), *_jobs(), *_times(), *_processes(), *_maintenance(), *_invariants(), *_storage()]
    return "".join([*kernel, *of_this_process()])


def _by(found: Iterable[Row], value: str, *labels: str) -> list[Sample]:
    """Return samples of one column of rows, labelled by others; negative ages (clocks differ) become 0."""
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
        ("wedsql_jobs_leased", "leased", "Jobs that a worker holds by a lease."),
        ("wedsql_jobs_parked", "parked", "Jobs that used all attempts and wait for a person."),
        ("wedsql_jobs_late", "late", "Jobs past their pickup deadline or lease."),
        ("wedsql_queue_age_seconds", "oldest_seconds", "Age of the oldest waiting job, 0 when none waits."),
    ):
        yield family(name, meaning, _by(found, value, "flow", "transition"))
    yield family(
        "wedsql_jobs_taken",
        "Jobs in a worker's hands now, by a lease or in its transaction.",
        _by(stats.taken(), "n", "flow", "transition"),
    )


def _times() -> Iterable[str]:
    found = stats.times()
    for kind, meaning in (
        ("wait", "From firing to the begin of the first attempt's handler, of a sample of jobs."),
        ("run", "How long handlers ran, every attempt."),
    ):
        mine = [
            ({"flow": r["flow"], "transition": r["transition"]}, r["counts"], r["seconds"])
            for r in found
            if r["kind"] == kind
        ]
        help_text = f"{meaning} Reported every 10 s by built-in workers."
        yield histogram(f"wedsql_job_{kind}_seconds", help_text, BOUNDS, mine)


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
    yield family(
        "wedsql_listener_lag_seconds", "How long this process has heard nothing of the kernel.", [({}, lag)]
    )


def of_this_process() -> Iterable[str]:
    """Return the metrics of this web process; needs no database."""
    found = usage()
    for name, meaning, value in (
        ("wedsql_pool_connections_max", "Most connections of this process's pool.", found.connections_limit),
        ("wedsql_pool_connections_used", "Connections of the pool in use.", found.connections_used),
        (
            "wedsql_pool_connections_waiting",
            "Requests that wait for a connection.",
            found.connections_waiting,
        ),
        ("wedsql_web_requests", "Requests under way.", found.requests),
        ("wedsql_web_requests_max", "Most requests under way at a time.", found.requests_limit),
        ("wedsql_web_requests_waiting", "Requests that wait for a thread.", found.requests_waiting),
        ("wedsql_web_threads", "Threads of this process.", found.threads),
        ("wedsql_web_files", "Open file handles of this process.", found.files),
        ("wedsql_web_files_max", "Limit of file handles.", found.files_limit),
        ("wedsql_web_memory_bytes", "Resident memory of this process.", found.memory),
    ):
        yield family(name, meaning, [({}, value)])
    rejected: list[Sample] = [({}, found.requests_rejected)]
    yield family("wedsql_web_requests_rejected_total", "Requests rejected under load.", rejected, "counter")
    refused: list[Sample] = [({}, found.connections_refused)]
    yield family(
        "wedsql_web_connections_refused_total", "Refused beyond the limit of an address.", refused, "counter"
    )


def _maintenance() -> Iterable[str]:
    times, disk = health.times(), health.disk()
    age: list[Sample] = [({}, max(0.0, times.reaper_age.total_seconds()))] if times.reaper_age else []
    yield family("wedsql_reaper_age_seconds", "Since the last round of the reaper.", age)
    yield family(
        "wedsql_clock_behind_seconds",
        "How much older the database's clock is than its newest history.",
        [({}, times.behind.total_seconds())],
    )
    used: list[Sample] = [({}, health.numbers_used())]
    yield family(
        "wedsql_instance_numbers_used_ratio", "Share of the numbers for instances that is given.", used
    )
    yield family(
        "wedsql_reaper_troubles",
        "What the reaper could not do, by flow and kind; it tries again.",
        [({"flow": flow, "kind": kind}, n) for flow, kind, n in health.trouble_counts()],
    )
    known = [] if disk is None else [disk]
    for name, meaning, values in (
        ("wedsql_disk_free_bytes", "Free on the database's disk, as last reported.", [d.free for d in known]),
        ("wedsql_disk_bytes", "Size of the database's disk.", [d.total for d in known]),
    ):
        yield family(name, meaning, [({}, value) for value in values])


def _invariants() -> Iterable[str]:
    last = invariants.last_check()
    yield family(
        "wedsql_invariant_violations",
        "Violations of each invariant found by its last check: hourly on a sample, or on request.",
        [({"invariant": one.name}, one.found) for one in last.findings] if last else [],
    )
    yield family(
        "wedsql_invariants_checked_timestamp_seconds",
        "When the invariants were last checked.",
        [({}, last.at.timestamp())] if last else [],
    )


def _storage() -> Iterable[str]:
    status = storage.storage_status()
    yield family(
        "wedsql_steps_total",
        "Steps written to the history since the server's counters began.",
        [({}, status.steps)],
        "counter",
    )
    for name, meaning, value in (
        ("wedsql_table_rows", "Living rows, as the server estimates.", "live"),
        ("wedsql_table_dead_rows", "Rows that wait for vacuum, as the server estimates.", "dead"),
        ("wedsql_table_bytes", "Size with indexes.", "bytes"),
    ):
        help_text = (
            f"{meaning} The {storage.MAX_TABLES} of the tables that every step writes with most dead rows."
        )
        yield family(name, help_text, [({"table": one.name}, getattr(one, value)) for one in status.tables])
    blocker = status.vacuum_blocker
    open_since = blocker.age.total_seconds() if blocker and blocker.age else 0.0
    for name, meaning, number in (
        ("wedsql_database_bytes", "Size of the database.", status.database_bytes),
        (
            "wedsql_vacuum_held_back_seconds",
            "Age of what keeps vacuum from sweeping, 0: nothing.",
            open_since,
        ),
        (
            "wedsql_commits_waiting",
            "Sessions that wait for a standby to confirm their commit.",
            health.commits_waiting(),
        ),
        ("wedsql_partition_months_ahead", "Partitions of the history made ahead.", status.months_ahead),
        (
            "wedsql_partition_default_rows",
            "Rows that missed their partition, up to 1,000.",
            status.in_default,
        ),
    ):
        yield family(name, meaning, [({}, number)])
    warned = set(status.warnings())
    yield family(
        "wedsql_warning",
        "1 while the health page warns of it.",
        [({"kind": kind}, kind in warned) for kind in storage.WARNINGS],
    )
