"""What a forked process must do before its first statement.

Django-Q's cluster forks its sentinel, workers, pusher and monitor. A child that used the connections of its
parent would mix up the protocol of both; a sentinel that outlived the main process would work on unseen.
"""

from __future__ import annotations

import os
from typing import Any

from django.db import connections
from django.db.backends.postgresql.base import DatabaseWrapper

from wedsql_site import environment
from workers.parent import die_with_parent

# Kept alive on purpose: closing them here would say good-bye on the parent's sockets.
_inherited: list[Any] = []


def install() -> None:
    """Registers the hooks for every later fork of this process and of its children."""
    os.register_at_fork(after_in_child=forget_connections)
    if environment.process() in {"worker", "reaper"}:
        _tie_children_to(os.getpid())


def _tie_children_to(parent: int) -> None:
    """Direct children die with `parent` from their first moment; their own forks are theirs to tie."""

    direct = True

    def tie() -> None:
        nonlocal direct
        if direct:
            direct = False  # in the child's memory alone
            die_with_parent(parent)

    os.register_at_fork(after_in_child=tie)


def forget_connections() -> None:
    """Leaves every inherited connection and pool to the parent."""
    wrapper: Any = DatabaseWrapper
    _inherited.append(wrapper._connection_pools)
    wrapper._connection_pools = {}
    for connection in connections.all(initialized_only=True):
        _inherited.append(connection.connection)
        connection.connection = None
