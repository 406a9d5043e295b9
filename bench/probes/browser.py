"""The way from a commit to the browsers: 200 pages watch one flow during 100 commits per second."""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

import psycopg

from bench import site
from bench.cluster import scalar
from bench.probes.base import Stage, percentile
from bench.probes.web import web
from bench.race import WorkerProcesses
from bench.targets import Measure
from bench.work.definition import FLOW
from testkit.processes import cpu_seconds
from testkit.web import WebServer

_WATCHERS = 200
_RATE = 100
_SETTLE = 1.0
_SESSION = """
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user_model
from importlib import import_module
user = get_user_model().objects.create_superuser("bench", "", "bench")
session = import_module(settings.SESSION_ENGINE).SessionStore()
session[SESSION_KEY] = str(user.pk)
session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[-1]
session[HASH_SESSION_KEY] = user.get_session_auth_hash()
session.create()
print("cookie", settings.SESSION_COOKIE_NAME + "=" + session.session_key)
"""


def measure(stage: Stage) -> list[Measure]:
    """Measure the share delivered, the delay, and the CPU time of the web process."""
    stage.database()
    output = site.run(stage.cluster, "probe", "shell", "-c", _SESSION)
    cookie = next(line.split()[1] for line in output.splitlines() if line.startswith("cookie "))
    with web(stage, "probe") as server, tempfile.NamedTemporaryFile(suffix=".json") as out:
        commits, cpu = _watched(stage, server, cookie, Path(out.name))
        arrivals = json.loads(Path(out.name).read_text())
    late = [seen[str(wid)] - at for seen in arrivals for wid, at in commits.items() if str(wid) in seen]
    share = 100 * len(late) / (len(commits) * _WATCHERS)
    detail = f"{_WATCHERS} watching, {len(commits)} commits at {_RATE} a second"
    return [
        Measure("browser-delivered", "commit to browser, delivered", share, "%", detail),
        Measure("browser-p50", "commit to browser, p50", statistics.median(late) * 1000, "ms", detail),
        Measure("browser-p99", "commit to browser, p99", percentile(late, 0.99) * 1000, "ms", detail),
        Measure("browser-cpu", "daphne's share of a core", cpu, "%", detail),
    ]


def _watched(stage: Stage, server: WebServer, cookie: str, out: Path) -> tuple[dict[int, float], float]:
    """Open the browsers, commit, write the arrivals to `out`; return the commits and daphne's CPU share."""
    options = f"--port {server.port} --count {_WATCHERS} --path /ws/flows/{FLOW}/ --cookie {cookie}"
    command = [sys.executable, "-m", "bench.probes.browser_clients", *options.split(), "--out", str(out)]
    with WorkerProcesses([command], {}, announces=True) as browsers:
        browsers.wait_announced()
        with stage.cluster.session("probe") as conn:
            used, began = cpu_seconds(server.pid), time.monotonic()
            commits = _commit(conn, 3 if stage.quick else 10)
            cpu = 100 * (cpu_seconds(server.pid) - used) / (time.monotonic() - began)
        time.sleep(_SETTLE)
        browsers.go()
        browsers.wait_announced("written")
    return commits, cpu


def _commit(conn: psycopg.Connection, seconds: int) -> dict[int, float]:
    """Start instances at the rate, one commit each; return the time at which each commit returned."""
    commits: dict[int, float] = {}
    began = time.monotonic()
    for number in range(seconds * _RATE):
        time.sleep(max(0.0, began + number / _RATE - time.monotonic()))
        commits[scalar(conn, "select wedsql.start(%s)", FLOW)] = time.monotonic()
    return commits
