"""The web process of the product, as `make run` starts it, for the probes that need one."""

from __future__ import annotations

import os

from bench import site
from bench.probes.base import Stage
from testkit.web import WebServer


def web(stage: Stage, database: str, **extra: str) -> WebServer:
    """Start daphne on a free port and wait until it answers; a context manager that stops it."""
    own = site.environment(stage.cluster, database, "web") | {"WEDSQL_ALLOWED_HOSTS": "127.0.0.1"} | extra
    return WebServer({**os.environ, **own})
