"""Hooks for forked processes, installed in every process; needs no Django-Q.

Django-Q's cluster forks its sentinel, workers, pusher and monitor. A child that used its parent's
connections would mix up the protocol of both; a sentinel that outlived the main process would go on alone.
"""

from __future__ import annotations

import gc
import os
from typing import Any

from django.db import connections
from django.db.backends.postgresql.base import DatabaseWrapper

from workers.process.parent import end_children_with_parent

# Kept alive on purpose: closing them would send a termination message on the parent's sockets.
_inherited: list[Any] = []


def install(*, cluster: bool) -> None:
    """Register the hooks for every later fork of this process and of its children.

    cluster: whether this is the main process of a cluster, whose children die with it. They share its
     memory for good: a garbage collection in a child would copy 40 MB of it.
    """
    os.register_at_fork(after_in_child=forget_connections)
    if cluster:
        os.register_at_fork(before=gc.freeze)
        end_children_with_parent()


def forget_connections() -> None:
    """Detach every inherited connection and pool from this process."""
    wrapper: Any = DatabaseWrapper
    _inherited.append(wrapper._connection_pools)
    wrapper._connection_pools = {}
    for connection in connections.all(initialized_only=True):
        _inherited.append(connection.connection)
        connection.connection = None
