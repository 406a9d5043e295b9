"""The server's settings, written before each start so that a new release applies its own."""

from __future__ import annotations

import os
import sys

from flows.management.whole_file import write_whole_text
from wedsql_site.postgres.account import Account
from wedsql_site.postgres.cluster import Cluster

_FILE = "wedsql.conf"
_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "200",
    # A publish takes locks on many flows' tables and trace partitions at once.
    "max_locks_per_transaction": "256",
    "shared_buffers": "256MB",
    "synchronous_commit": "on",
    "wal_compression": "on",
    "max_wal_size": "2GB",
    "checkpoint_timeout": "15min",
    "checkpoint_completion_target": "0.9",
    "jit": "off",
    # Every step writes job_pool: a vacuum four times per minute keeps it small.
    "autovacuum_naptime": "15s",
    # The planner's default is for spinning disks.
    "random_page_cost": "1.1",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] %q%u %a ",
    # Statements and details contain values of states, which must not be logged.
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
}


def write(cluster: Cluster, user: Account) -> None:
    """Write the file and include it in postgresql.conf, once."""
    settings = _SETTINGS | {"unix_socket_directories": str(cluster.socket)}
    if sys.platform == "linux":
        # A killed client's locks are released within half a second, even during a statement.
        settings["client_connection_check_interval"] = "500"
    _write(cluster, user, settings | cluster.settings)
    main = cluster.data / "postgresql.conf"
    line = f"include_if_exists = '{_FILE}'\n"
    if line not in main.read_text():
        with main.open("a") as handle:
            handle.write(f"\n{line}")


def _write(cluster: Cluster, user: Account, settings: dict[str, str]) -> None:
    path = cluster.data / _FILE
    text = "".join(f"{name} = {_quoted(value)}\n" for name, value in settings.items())
    write_whole_text(path, text, mode=0o600)
    if user.switch:
        os.chown(path, user.uid, user.gid)


def _quoted(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"
