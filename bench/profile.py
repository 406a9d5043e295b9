"""``python -m bench.profile``: show where the time of a step is spent.

Prints, for a run of the benchmark: processor time of Python and of PostgreSQL per step; the kernel's
functions by their own time; the statements, when the server has pg_stat_statements (select such a server with
WED_PG_BIN, for example Debian's); and the Python functions by their own time. Profiling slows the work down:
compare shares, not rates.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence

import psutil
import psycopg

from bench import site
from bench.cluster import Cluster
from testkit.processes import cpu_seconds
from testkit.text import table
from wedsql_site import postgres
from wedsql_site.postgres import process

_SETTINGS = {"track_functions": "all", "track_io_timing": "on"}
_LIBRARY = {"shared_preload_libraries": "pg_stat_statements", "pg_stat_statements.track": "all"}
_FUNCTIONS = """
select schemaname || '.' || funcname as function, calls,
       round((self_time * 1000 / %(steps)s)::numeric, 1) as "self µs a step",
       round((total_time * 1000 / %(steps)s)::numeric, 1) as "total µs a step"
from pg_stat_user_functions where calls > 0 order by self_time desc limit 20
"""
_STATEMENTS = """
select round((total_exec_time * 1000 / %(steps)s)::numeric, 1) as "µs a step", calls, rows,
       shared_blks_dirtied as dirtied, round(wal_bytes / %(steps)s) as "WAL a step",
       case when toplevel then '' else '  . ' end
         || left(regexp_replace(left(query, 500), '\\s+', ' ', 'g'), 110) as statement
from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())
order by total_exec_time desc limit 25
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Profile one run and print it."""
    parser = argparse.ArgumentParser(prog="python -m bench.profile", description=__doc__)
    parser.add_argument("--instances", type=int, default=4000)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--batch", type=int, default=200, help="jobs a commit; 1 gives each step its own")
    options = parser.parse_args(arguments)
    with Cluster() as cluster:
        preloaded = _preload(cluster)
        dsn = cluster.create_database("profiled", site.template(cluster))
        with psycopg.connect(dsn, autocommit=True) as conn:
            if preloaded:
                conn.execute("create extension if not exists pg_stat_statements")
            _print("CPU", _run(cluster, conn, options))
            _print("Kernel functions", _rows(conn, _FUNCTIONS, options))
            if preloaded:
                _print("Statements, nested ones too", _rows(conn, _STATEMENTS, options))
            _print("Python functions, one process", _python(cluster, conn, options))
    return 0


def _preload(cluster: Cluster) -> bool:
    """Restart the server with statistics; return whether it counts statements, too."""
    with cluster.session() as conn:
        query = "select from pg_available_extensions where name = 'pg_stat_statements'"
        available = bool(conn.execute(query).rowcount)
    postgres.stop(cluster.cluster)
    cluster.cluster.settings.update(_SETTINGS | (_LIBRARY if available else {}))
    cluster.start()
    return available


def _run(cluster: Cluster, conn: psycopg.Connection, work: argparse.Namespace) -> str:
    """Start the instances, complete them with `wedworker --once`, and report the CPU time of each side."""
    site.start_many(conn, work.instances)
    conn.execute("vacuum analyze")
    conn.execute("select pg_stat_reset()")
    mode = ("--mode", "batch", "--batch", str(work.batch)) if work.batch > 1 else ("--mode", "step")
    command = site.manage("wedworker", "--once", "--processes", str(work.processes), *mode)
    before = time.perf_counter(), _children_cpu(), _server_cpu(cluster)
    site.output(command, site.environment(cluster, "profiled"))
    after = time.perf_counter(), _children_cpu(), _server_cpu(cluster)
    steps = work.instances * 3
    wall, *_ = spent = [b - a for a, b in zip(before, after, strict=True)]
    rows = [["", "µs a step", "share of wall"]]
    for label, seconds in zip(("wall", "Python", "PostgreSQL"), spent, strict=True):
        rows.append([label, f"{seconds / steps * 1e6:,.1f}", f"{seconds / wall:.0%}"])
    note = f"  {steps:,} steps, {work.processes} processes, {work.batch} a commit (start-up included)"
    return f"{table(rows)}\n{note}"


def _children_cpu() -> float:
    used = os.times()
    return used.children_user + used.children_system


def _server_cpu(cluster: Cluster) -> float:
    """Return the processor seconds of the postmaster and all its children, including ended ones."""
    server = psutil.Process(process.postmaster(cluster.cluster))
    ended = server.cpu_times()
    live = sum(cpu_seconds(one.pid) for one in (server, *server.children()))
    return float(ended.children_user + ended.children_system + live)


def _rows(conn: psycopg.Connection, query: str, work: argparse.Namespace) -> str:
    """Return what a query finds as a table with the names of its columns."""
    found = conn.execute(query, {"steps": work.instances * 3})
    head = [column.name for column in found.description or ()]
    cells = [[f"{cell:,}" if not isinstance(cell, str) else cell for cell in row] for row in found]
    return table([head, *cells])


def _python(cluster: Cluster, conn: psycopg.Connection, work: argparse.Namespace) -> str:
    """Run the same work in one process under Python's own profiler."""
    site.start_many(conn, work.instances)
    command = [sys.executable, "-m", "bench.profile_python", str(work.batch)]
    return site.output(command, site.environment(cluster, "profiled")).rstrip()


def _print(title: str, text: str) -> None:
    sys.stdout.write(f"{title}\n{text}\n\n")


if __name__ == "__main__":
    sys.exit(main())
