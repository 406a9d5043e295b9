"""``python -m bench.page_comparison OTHER``: processor time of the main pages beside another checkout.

Each checkout has a database of its own on one private PostgreSQL, with the orders of the demo in the same
states, and one process that answers requests. The processes answer each page in turn, so that both measure
under the same load; the ratio of two medians says which one is dearer.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psycopg

from bench.cluster import Cluster
from bench.site import environment
from wedsql_site.environment import CHECKOUT

ROUNDS, INSTANCES = 25, 300
USER = ("createsuperuser", "--noinput", "--username=bench", "--email=b@localhost")
PAGES = {
    "home": "/", "flow": "/flows/orders/", "filtered": "/flows/orders/?q=status:running",
    "all instances": "/instances/", "instance": "/instances/{wid}/", "why": "/instances/{wid}/why/",
    "jobs": "/flows/orders/jobs/", "cases": "/cases/", "repair": "/instances/{excepted}/repair/",
    "picture": "/flows/orders/picture/", "analysis": "/flows/orders/analysis/",
    "rules": "/admin/flows/flow/{flow}/design/",
}  # fmt: skip
# Reads an address per line and prints the milliseconds of this process, and of waiting for the database.
SERVER = """
import json, os, sys, time
import django
django.setup()
from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client
client = Client(SERVER_NAME="127.0.0.1")
client.force_login(get_user_model().objects.get(username="bench"))
waited = [0.0]
def timed(execute, *given):
    began = time.perf_counter()
    try:
        return execute(*given)
    finally:
        waited[0] += time.perf_counter() - began
for line in sys.stdin:
    waited[0] = 0.0
    began = time.process_time()
    with connection.execute_wrapper(timed):
        answer = client.get(line.strip())
        length = len(answer.getvalue())
    used = time.process_time() - began
    print(json.dumps([answer.status_code, used * 1000, waited[0] * 1000, length]), flush=True)
"""
START = """
select count(*) from wedsql.start_many('orders', (
  select array_agg(jsonb_build_object('customer', 'Ana ' || n, 'total', n)) from generate_series(1, %s) n))"""
# Some orders become exceptions: their card is declined.
RESULTS = {"tr_charge": '{"payment": "declined"}', "tr_reserve": '{"stock": "reserved"}'}
TAKE = "select wid, job_id from wedsql.take('orders', %s, 40, 'bench')"
COMPLETE = "select wedsql.complete_many('orders', %s, %s::bigint[], '{null}', %s::jsonb[], 'bench')"
FACTS = """
select json_build_object('flow', f.id, 'wid', (select max(i.wid) from wedsql.instance i where i.status = 'R'),
  'excepted', (select max(i.wid) from wedsql.instance i where i.status = 'E'))
from wedsql.flow f where f.name = 'orders'"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print a line per page and their median ratio; return 1 where a page cannot be shown."""
    parser = argparse.ArgumentParser(prog="bench.page_comparison", description=__doc__)
    parser.add_argument("other", type=Path, help="the directory of another checkout")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args(arguments)
    checkouts = {"other": options.other.resolve(), "this": CHECKOUT}
    with Cluster() as cluster:
        known = {name: _prepare(cluster, name, where) for name, where in checkouts.items()}
        with (
            _server(cluster, "other", checkouts["other"]) as other,
            _server(cluster, "this", checkouts["this"]) as this,
        ):
            found = {
                title: _compared((other, this), address, known, options.rounds)
                for title, address in PAGES.items()
            }
    _report(found)
    return int(any(code != 200 for pair in found.values() for each in pair for code, *_more in each))


def _prepare(cluster: Cluster, name: str, where: Path) -> dict[str, int]:
    """Make the database of a checkout with instances of the demo; return the numbers in addresses."""
    dsn = cluster.create_database(f"pages_{name}")
    for command in (("wedsql", "install"), ("loaddemo",), USER):
        _run(cluster, name, where, *command)
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute(START, [INSTANCES])
        for transition, result in RESULTS.items():
            with conn.transaction():  # which holds the jobs
                for wid, job in conn.execute(TAKE, [[transition]]).fetchall():
                    conn.execute(COMPLETE, [[wid], [job], [result]])
        row = conn.execute(FACTS).fetchone()
    return dict(row[0]) if row else {}


def _run(cluster: Cluster, name: str, where: Path, *command: str) -> None:
    """Run a command of manage.py of a checkout as administrator. Raises RuntimeError with its output."""
    done = subprocess.run(
        [sys.executable, "manage.py", *command], cwd=where, env=_environment(cluster, name, where, "admin"),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError((done.stderr or done.stdout).strip()[-800:])


def _environment(cluster: Cluster, name: str, where: Path, process: str) -> dict[str, str]:
    own = environment(cluster, f"pages_{name}", process)
    more = {"PYTHONPATH": str(where), "WEDSQL_ALLOWED_HOSTS": "127.0.0.1"}
    return os.environ | own | more | {"DJANGO_SUPERUSER_PASSWORD": "for the bench only"}


@contextmanager
def _server(cluster: Cluster, name: str, where: Path) -> Iterator[subprocess.Popen[str]]:
    """Run the process of a checkout that answers addresses."""
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER], cwd=where, env=_environment(cluster, name, where, "web"),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


Answers = list[list[float]]


def _compared(
    servers: Sequence[subprocess.Popen[str]], address: str, known: dict[str, dict[str, int]], rounds: int
) -> list[Answers]:
    """Return the answers of both to one page, which they give in turn; the first ones are not counted."""
    given = [address.format(**known[name]) for name in ("other", "this")]
    rows = [[_asked(*each) for each in zip(servers, given, strict=True)] for _round in range(rounds + 2)]
    return [list(each) for each in zip(*rows[2:], strict=True)]


def _asked(server: subprocess.Popen[str], address: str) -> list[float]:
    if server.stdin is None or server.stdout is None:
        raise RuntimeError("The process has no pipes.")
    server.stdin.write(address + "\n")
    server.stdin.flush()
    return list(json.loads(server.stdout.readline()))


def _report(found: dict[str, list[Answers]]) -> None:
    """Print the medians of each page: milliseconds of process and database, kilobytes, and the ratio."""
    write, ratios = sys.stdout.write, []
    write(f"{'page':14} {'process ms':>16} {'database ms':>16} {'kB':>12}   ratio\n")
    for title, pair in found.items():
        medians = [[statistics.median(each[n] for each in answers) for n in (1, 2, 3)] for answers in pair]
        (used, waited, size), (used_now, waited_now, size_now) = medians
        ratios.append(used_now / used)
        codes = {int(each[0]) for answers in pair for each in answers} - {200}
        write(
            f"{title:14} {used:7.1f} {used_now:8.1f} {waited:7.1f} {waited_now:8.1f} {size / 1000:5.0f}"
            f" {size_now / 1000:6.0f}   {ratios[-1]:.2f} {' '.join(map(str, codes))}\n"
        )
    write(f"median ratio of the process: {statistics.median(ratios):.2f}\n")


if __name__ == "__main__":
    sys.exit(main())
