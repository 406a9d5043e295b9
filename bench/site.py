"""WED-SQL on the bench's server: a database with the bench's flows, and how its programs are started."""

from __future__ import annotations

import functools
import json
import os
import subprocess

import psycopg

from bench.cluster import Cluster, scalar
from bench.work.definition import FLOW, figure2
from testkit.processes import manage
from wedsql_site.environment import CHECKOUT

TEMPLATE = "tpl_wedsql"
SETTINGS = "bench.settings"
_SECRET = "a-bench-run-lives-for-minutes-and-has-no-secrets-" * 2


def environment(cluster: Cluster, database: str, process: str = "worker") -> dict[str, str]:
    """Return the variables of a process on `database`, with the least privileged role for its kind."""
    role = "wed" if process == "admin" else f"wed_{process}"
    return {
        "DJANGO_SETTINGS_MODULE": SETTINGS,
        "WEDSQL_PROCESS": process,
        "WEDSQL_STATE_DIR": str(cluster.home / "state"),
        "WEDSQL_SECRET_KEY": _SECRET,
        "WEDSQL_HTTPS": "0",
        "DATABASE_URL": cluster.uri(database),
        f"DATABASE_URL_{process.upper()}": cluster.uri(database, role),
        "PYTHONPATH": str(CHECKOUT),
    }


def run(cluster: Cluster, database: str, *arguments: str) -> str:
    """Run a management command as administrator; return its output, or raise RuntimeError with its stderr."""
    return output(manage(*arguments), environment(cluster, database, "admin"))


def output(command: list[str], variables: dict[str, str]) -> str:
    """Return the output of a command; RuntimeError with the end of its stderr when it fails."""
    env = os.environ | variables
    done = subprocess.run(command, cwd=CHECKOUT, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[1:4])} failed: {(done.stderr or done.stdout).strip()[-400:]}")
    return done.stdout


@functools.cache
def template(cluster: Cluster) -> str:
    """Create, once per run, a database with kernel, Django's tables and the bench's flow; return its name."""
    dsn = cluster.create_database(TEMPLATE)
    run(cluster, TEMPLATE, "wedsql", "install")
    with psycopg.connect(dsn) as conn:
        publish(conn, figure2(FLOW))
    return TEMPLATE


def publish(conn: psycopg.Connection, definition: dict[str, object]) -> None:
    """Create the flow and publish its definition."""
    conn.execute("select wedsql.create_flow(%s)", [definition["flow"]])
    conn.execute("select wedsql.publish(%s, %s::jsonb)", [definition["flow"], json.dumps(definition)])


def start_many(conn: psycopg.Connection, count: int, flow: str = FLOW) -> None:
    """Start `count` instances in one statement; RuntimeError when one is rejected."""
    states = "array_fill('{}'::jsonb, array[%s::integer])"
    query = f"select count(*) from wedsql.start_many(%s, {states}) where wid is null"  # noqa: S608 - a constant
    if refused := scalar(conn, query, flow, count):
        raise RuntimeError(f"{refused} of {count} instances were refused")
