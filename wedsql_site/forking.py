"""What a forked process must do before its first statement, and with whom it dies.

Django-Q's cluster forks its sentinel, workers, pusher and monitor. A child that used its parent's sockets
would mix up both their protocols; one that outlived its parent would work on with nobody to stop it.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import Any

from django.db import connections
from django.db.backends.postgresql.base import DatabaseWrapper

from wedsql_site import environment

_PR_SET_PDEATHSIG = 1
# Kept alive on purpose: closing them here would say good-bye on the parent's sockets.
_inherited: list[Any] = []


def install() -> None:
    """Registers the hooks for this process and its forks."""
    os.register_at_fork(after_in_child=forget_connections)
    if environment.process() in {"worker", "reaper"}:
        os.register_at_fork(after_in_child=lambda: die_with_parent(signal.SIGKILL))


def forget_connections() -> None:
    """Leaves every inherited connection and pool to the parent."""
    _inherited.append(DatabaseWrapper._connection_pools)
    DatabaseWrapper._connection_pools = {}
    for connection in connections.all(initialized_only=True):
        _inherited.append(connection.connection)
        connection.connection = None


def die_with_parent(signum: int) -> None:
    """Asks the kernel to signal this process when its parent ends, however it ends (Linux only)."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signum, 0, 0, 0)
