"""Time whole pages as the web process answers them, in a process of its own with the web role."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from typing import Any

from bench import site
from bench.probes.base import Stage
from bench.targets import Measure
from wedsql_site.environment import CHECKOUT

_ROUNDS = 5
_USER = "bench"


def run(stage: Stage, database: str, module: str) -> dict[str, dict[str, float]]:
    """Run `python -m module`, which prints what `print_times` found, and return it.

    Per page: milliseconds in the server (median of five), kilobytes, and statements.
    """
    os.environ.setdefault("DJANGO_SUPERUSER_PASSWORD", "for the bench only")
    site.run(
        stage.cluster, database, "createsuperuser", "--noinput", f"--username={_USER}", "--email=b@localhost"
    )
    own = site.environment(stage.cluster, database, "web") | {"WEDSQL_ALLOWED_HOSTS": "127.0.0.1"}
    done = subprocess.run(
        [sys.executable, "-m", module],
        cwd=CHECKOUT, env=os.environ | own, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[-400:])
    found: dict[str, dict[str, float]] = json.loads(done.stdout)
    return found


def print_times(pages: dict[str, str]) -> None:
    """Request each address several times; print the figures by the names of the pages."""
    from django.contrib.auth import get_user_model
    from django.test import Client

    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(get_user_model().objects.get(username=_USER))
    sys.stdout.write(json.dumps({name: _measured(client, address) for name, address in pages.items()}))


def measures(key: str, subject: str, pages: dict[str, dict[str, float]]) -> list[Measure]:
    """Return the time of each page, and of all together the slowest and the largest."""
    each = [
        Measure(f"{key}-{name}", f"{subject}, {name}", page["ms"], "ms", _size(page))
        for name, page in pages.items()
    ]
    slowest = max(pages, key=lambda name: pages[name]["ms"])
    largest = max(pages, key=lambda name: pages[name]["kB"])
    return [
        *each,
        Measure(f"{key}-page", f"slowest page of the {subject}", pages[slowest]["ms"], "ms", slowest),
        Measure(f"{key}-bytes", f"largest page of the {subject}", pages[largest]["kB"], "kB", largest),
    ]


def _size(page: dict[str, float]) -> str:
    return f"{page['kB']:.0f} kB, {page['queries']:.0f} statements"


def _measured(client: Any, address: str) -> dict[str, float]:
    from django.db import connection

    queries: list[str] = []

    def count(execute: Any, query: Any, *more: Any) -> Any:
        queries.append(query)
        return execute(query, *more)

    with connection.execute_wrapper(count):  # which also warms up what a process does once
        answer = client.get(address)
    if answer.status_code != 200:
        raise RuntimeError(f"{address} answered {answer.status_code}")
    times = []
    for _ in range(_ROUNDS):
        began = time.perf_counter()
        answer = client.get(address)
        times.append(1000 * (time.perf_counter() - began))
    size = len(answer.content) / 1000
    return {"ms": statistics.median(times), "kB": size, "queries": len(queries)}
