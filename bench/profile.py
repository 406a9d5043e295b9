"""``python -m bench.profile``: show where the time of a step is spent.

Prints, for a run of the benchmark: processor time of Python and of PostgreSQL per step; the kernel's
functions by their own time; the statements, when the server has pg_stat_statements (select such a server with
WED_PG_BIN, for example Debian's); and the Python functions by their own time. Profiling slows the work down:
compare shares, not rates.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg

from bench import site
from bench.cluster import Cluster
from testkit.text import table

_FUNCTIONS = """
select schemaname || '.' || funcname, calls, self_time, total_time
from pg_stat_user_functions where calls > 0 order by self_time desc limit 20
"""
_STATEMENTS = """
select regexp_replace(left(query, 500), '\\s+', ' ', 'g'),
       calls, total_exec_time, rows, toplevel,
       shared_blks_dirtied, wal_bytes
from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())
order by total_exec_time desc limit 25
"""


@dataclass(frozen=True)
class Work:
    """How much work, in how many processes, with how many steps per commit."""

    instances: int
    processes: int
    size: int

    @property
    def steps(self) -> int:
        """Return the number of steps of the run."""
        return self.instances * 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Profile one run and print it."""
    parser = argparse.ArgumentParser(prog="python -m bench.profile", description=__doc__)
    parser.add_argument("--instances", type=int, default=4000)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--batch", type=int, default=200, help="jobs a commit; 1 gives each step its own")
    options = parser.parse_args(arguments)
    work = Work(options.instances, options.processes, options.batch)
    with Cluster(_settings()) as cluster:
        dsn = cluster.create_database("profiled", site.template(cluster))
        with psycopg.connect(dsn, autocommit=True) as conn:
            has_statements = _prepare(conn)
            _print("CPU", _run(cluster, conn, work))
            _print("Kernel functions", _functions(conn, work))
            if has_statements:
                _print("Statements, nested ones too", _statements(conn, work))
            _print("Python functions, one process", _python(cluster, conn, work))
    return 0


def _settings() -> dict[str, str]:
    settings = {"track_functions": "all", "track_io_timing": "on"}
    if _has_library("pg_stat_statements"):
        settings |= {"shared_preload_libraries": "pg_stat_statements", "pg_stat_statements.track": "all"}
    return settings


def _has_library(name: str) -> bool:
    from wedsql_site.postgres import binaries

    done = subprocess.run(
        [binaries.find() / "pg_config", "--pkglibdir"], capture_output=True, text=True, check=False
    )
    return (Path(done.stdout.strip() or "/") / f"{name}.so").exists()


def _prepare(conn: psycopg.Connection) -> bool:
    if not conn.execute("select from pg_available_extensions where name = 'pg_stat_statements'").rowcount:
        return False
    loaded = conn.execute("show shared_preload_libraries").fetchone()
    if not loaded or "pg_stat_statements" not in loaded[0]:
        return False
    conn.execute("create extension if not exists pg_stat_statements")
    return True


def _run(cluster: Cluster, conn: psycopg.Connection, work: Work) -> str:
    """Start the instances, complete them with `wedworker --once`, and report the CPU time of each side."""
    site.start_many(conn, work.instances)
    conn.execute("vacuum analyze")
    conn.execute("select pg_stat_reset()")
    server = _server_cpu(cluster)
    used = os.times()
    began = time.perf_counter()
    _wedworker(cluster, work)
    wall = time.perf_counter() - began
    now = os.times()
    python = now.children_user + now.children_system - used.children_user - used.children_system
    rows = [["", "µs a step", "share of wall"]]
    for label, seconds in (("wall", wall), ("Python", python), ("PostgreSQL", _server_cpu(cluster) - server)):
        rows.append([label, f"{seconds / work.steps * 1e6:,.1f}", f"{seconds / wall:.0%}"])
    note = f"  {work.steps:,} steps, {work.processes} processes, {work.size} a commit (start-up included)"
    return f"{table(rows)}\n{note}"


def _wedworker(cluster: Cluster, work: Work) -> None:
    mode = ("--mode", "batch", "--batch", str(work.size)) if work.size > 1 else ("--mode", "step")
    command = site.manage("wedworker", "--once", "--processes", str(work.processes), *mode)
    site.output(command, site.environment(cluster, "profiled"))


def _server_cpu(cluster: Cluster) -> float:
    """Return the processor seconds of the postmaster and all its children, including ended ones."""
    pid = int((cluster.cluster.data / "postmaster.pid").read_text().split()[0])
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return sum(_ticks(int(child)) for child in children) + _ticks(pid, ended=True)


def _ticks(pid: int, ended: bool = False) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except FileNotFoundError:
        return 0.0
    own = int(fields[11]) + int(fields[12])
    return (own + (int(fields[13]) + int(fields[14]) if ended else 0)) / os.sysconf("SC_CLK_TCK")


def _functions(conn: psycopg.Connection, work: Work) -> str:
    rows = [["function", "calls", "self µs a step", "total µs a step"]]
    for name, calls, own, total in conn.execute(_FUNCTIONS).fetchall():
        rows.append(
            [name, f"{calls:,}", f"{own * 1000 / work.steps:,.1f}", f"{total * 1000 / work.steps:,.1f}"]
        )
    return table(rows)


def _statements(conn: psycopg.Connection, work: Work) -> str:
    rows = [["µs a step", "calls", "rows", "dirtied", "WAL a step", "statement"]]
    for query, calls, spent, count, top, dirtied, wal in conn.execute(_STATEMENTS).fetchall():
        counts = [f"{number:,}" for number in (calls, count, dirtied)]
        text = ("" if top else "  . ") + query[:110]
        rows.append([f"{spent * 1000 / work.steps:,.1f}", *counts, f"{wal / work.steps:,.0f}", text])
    return table(rows)


def _python(cluster: Cluster, conn: psycopg.Connection, work: Work) -> str:
    """Run the same work in one process under Python's own profiler."""
    site.start_many(conn, work.instances)
    command = [sys.executable, "-m", "bench.profile_python", str(work.size)]
    return site.output(command, site.environment(cluster, "profiled")).rstrip()


def _print(title: str, text: str) -> None:
    sys.stdout.write(f"{title}\n{text}\n\n")


if __name__ == "__main__":
    sys.exit(main())
