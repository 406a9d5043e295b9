"""``python -m bench.worker_group``: many workers of the paper's client over few sessions of the database.

Prints how many sessions they used, how long the jobs took, and how soon a job was performed by idle workers.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo

from BaseWorker import BaseClass, WorkerGroup
from bench.cluster import Cluster, scalar
from flows import api
from testkit import kernel_db
from testkit.waiting import until

FLOW = "many"
TRANSITIONS = 10


class Worker(BaseClass):
    """Answers at once."""

    def wed_trans(self, payload: Mapping[str, Any]) -> str:
        return "done = 'yes'"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.worker_group", description=__doc__)
    parser.add_argument("--workers", type=int, default=1000)
    parser.add_argument("--sessions", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=2000)
    options = parser.parse_args(arguments)
    with Cluster() as cluster, _flow(cluster) as (conn, dbs):
        workers = [Worker(f"tr_{n % TRANSITIONS}", dbs, 1) for n in range(options.workers)]
        group = WorkerGroup(workers, options.sessions)
        _start(conn, options.jobs)
        begun = time.monotonic()
        thread = threading.Thread(target=group.run, daemon=True)
        thread.start()
        until(lambda: not _open(conn), seconds=600)
        seconds = time.monotonic() - begun
        used = scalar(conn, "select count(*) from pg_stat_activity where application_name = 'bench-group'")
        performers = scalar(conn, "select count(distinct actor) from wedsql.wed_trace where seq > 1")
        idle = sorted(_wait_of_one(conn) for _ in range(21))
        group.stop()
        thread.join()
    sys.stdout.write(
        f"{options.workers} workers, {used} sessions: {options.jobs} jobs in {seconds:.1f} s"
        f" ({options.jobs / seconds:.0f}/s) by {performers} workers; a single job after"
        f" {idle[10] * 1000:.0f} ms (median of 21)\n"
    )
    return 0


@contextmanager
def _flow(cluster: Cluster) -> Iterator[tuple[psycopg.Connection[Any], str]]:
    """Yield a session with a flow of ten transitions, and the connection string of its workers."""
    uri = cluster.create_database("many")
    with psycopg.connect(uri, autocommit=True) as conn:
        kernel_db.install(conn)
        api.flows.create(FLOW, conn=conn)
        triggers: list[Any] = [
            {"transition": f"tr_{n}", "predicate": f"kind = {n} and done is null"} for n in range(TRANSITIONS)
        ]
        final = {"predicate": "done is not null", "final": True}
        attributes: list[Any] = [{"name": "kind", "type": "integer"}, {"name": "done"}]
        api.flows.publish(FLOW, {"attributes": attributes, "triggers": [*triggers, final]}, conn=conn)
        yield conn, make_conninfo(uri, application_name="bench-group", options=f"-c search_path={FLOW}")


def _start(conn: psycopg.Connection[Any], count: int) -> None:
    api.instances.start_many(FLOW, [{"kind": n % TRANSITIONS} for n in range(count)], conn=conn)


def _open(conn: psycopg.Connection[Any]) -> bool:
    return bool(scalar(conn, "select exists (select 1 from wedsql.job_pool)"))


def _wait_of_one(conn: psycopg.Connection[Any]) -> float:
    begun = time.monotonic()
    _start(conn, 1)
    until(lambda: not _open(conn), seconds=60)
    return time.monotonic() - begun


if __name__ == "__main__":
    sys.exit(main())
