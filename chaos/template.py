"""The cluster that is prepared once and copied for every fault, and the environment of its processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from testkit.server import Server
from wedsql_site import environment, postgres

ROLES = ("web", "worker", "reaper", "monitor")


def environ(server: Server, state: Path, dsns: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of the product's processes; `dsns` replaces the URI of some roles."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("WEDSQL_", "DATABASE_URL", "DJANGO_"))}
    urls = {role: server.dsn(role) for role in ROLES} | dict(dsns or {})
    return kept | {
        "DJANGO_SETTINGS_MODULE": "chaos.settings",
        "WEDSQL_STATE_DIR": str(state),
        "WEDSQL_SECRET_KEY": "chaos-" + "x" * 50,
        "WEDSQL_HTTPS": "0",
        "WEDSQL_ALLOWED_HOSTS": "127.0.0.1,localhost",
        "WEDSQL_Q_BATCH": "10",
        "DATABASE_URL": server.dsn(),
        "CHAOS_LEDGER": str(state / "ledger"),
        "PYTHONUNBUFFERED": "1",
        **{f"DATABASE_URL_{role.upper()}": url for role, url in urls.items()},
    }


def prepared(home: Path) -> Server:
    """Return a stopped cluster with a migrated database, the flows and a log-in."""
    server = Server(home / "template")
    (home / "template").mkdir(mode=0o711)
    server.start()
    state = home / "template" / "state"
    subprocess.run(
        [sys.executable, "-m", "chaos.prepare"],
        env=environ(server, state), cwd=environment.CHECKOUT, check=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    postgres.stop(server.cluster)
    return server
