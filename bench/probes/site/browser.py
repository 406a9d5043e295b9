"""The way from a commit to the browsers: 200 pages watch one flow during 100 commits per second."""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from bench import site
from bench.cluster import scalar
from bench.probes.base import Stage, percentile
from bench.probes.site.web import web
from bench.race import WorkerProcesses
from bench.targets import Measure
from bench.work.definition import FLOW
from testkit.processes import cpu_seconds
from testkit.web import WebServer

WATCHERS = 200
_RATE = 100
_SETTLE = 1.0
_SESSION = """
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user_model
from importlib import import_module
user = get_user_model().objects.filter(username="bench").first()
user = user or get_user_model().objects.create_superuser("bench", "", "bench")
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
    return watch(stage, "probe", 3 if stage.quick else 10)


def session_cookie(stage: Stage, database: str) -> str:
    """Log a superuser in; return the name and the value of the cookie."""
    output = site.run(stage.cluster, database, "shell", "-c", _SESSION)
    return next(line.split()[1] for line in output.splitlines() if line.startswith("cookie "))


def watch(stage: Stage, database: str, seconds: int, key: str = "browser") -> list[Measure]:
    """Measure the same in a database with the bench's flow; keys begin with `key`."""
    with web(stage, database) as server:
        watched = Watched(stage, server, database)
        with watched.browsers() as browsers:
            cpu = _while_committing(stage, database, server, watched, seconds)
            arrivals = watched.arrivals(browsers)
    commits = watched.commits
    late = [seen[str(wid)] - at for seen in arrivals for wid, at in commits.items() if str(wid) in seen]
    share = 100 * len(late) / (len(commits) * len(arrivals))
    detail = f"{WATCHERS} watching, {len(commits)} commits at {_RATE} a second"
    return [
        Measure(f"{key}-delivered", "commit to browser, delivered", share, "%", detail),
        Measure(f"{key}-p50", "commit to browser, p50", statistics.median(late) * 1000, "ms", detail),
        Measure(f"{key}-p99", "commit to browser, p99", percentile(late, 0.99) * 1000, "ms", detail),
        Measure(f"{key}-cpu", "daphne's share of a core", cpu, "%", detail),
    ]


class Watched:
    """200 browsers that watch the bench's flow; the first `kept` of them record what they see."""

    def __init__(self, stage: Stage, server: WebServer, database: str, kept: int = WATCHERS) -> None:
        self.commits: dict[int, float] = {}
        self._out = tempfile.NamedTemporaryFile(suffix=".json")
        cookie = session_cookie(stage, database)
        options = f"--port {server.port} --count {WATCHERS} --kept {kept} --path /ws/flows/{FLOW}/"
        self._command = [sys.executable, "-m", "bench.probes.site.browser_clients", *options.split()]
        self._command += ["--cookie", cookie, "--out", self._out.name]

    @contextmanager
    def browsers(self) -> Iterator[WorkerProcesses]:
        """Run the browsers; enter when all of them watch."""
        with WorkerProcesses([self._command], {}, announces=True) as browsers:
            browsers.wait_announced()
            yield browsers

    def arrivals(self, browsers: WorkerProcesses) -> list[dict[str, float]]:
        """End the watching; return when each instance first appeared, per recording browser."""
        time.sleep(_SETTLE)
        browsers.go()
        browsers.wait_announced("written")
        found: list[dict[str, float]] = json.loads(Path(self._out.name).read_text())
        return found

    def commit(self, conn: psycopg.Connection, seconds: float, rate: float) -> None:
        """Start instances at the rate, one commit each; remember when each commit returned."""
        began = time.monotonic()
        for number in range(int(seconds * rate)):
            time.sleep(max(0.0, began + number / rate - time.monotonic()))
            self.commits[scalar(conn, "select wedsql.start(%s)", FLOW)] = time.monotonic()


def _while_committing(
    stage: Stage, database: str, server: WebServer, watched: Watched, seconds: int
) -> float:
    """Commit for this time; return the web process's share of a core meanwhile."""
    with stage.cluster.session(database) as conn:
        used, began = cpu_seconds(server.pid), time.monotonic()
        watched.commit(conn, seconds, _RATE)
        return 100 * (cpu_seconds(server.pid) - used) / (time.monotonic() - began)
