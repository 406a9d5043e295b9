"""Commits that no synchronous standby has confirmed.

PostgreSQL reports success for a commit whose wait for its standbys an administrator ended, and says only in a
notice that the change may be lost with the server. If the session was ended, too, the answer is lost as well.
"""

from __future__ import annotations

import logging
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.utils.translation import gettext_lazy as _

from flows import worker_notices

log = logging.getLogger("wedsql.replication")

UNCONFIRMED = _(
    "A change was committed on this server, but its standby has not confirmed it: the change is lost if the"
    " server fails before the standby has it."
)
# The function of the server that sends the notice; the texts are in the server's language.
_SOURCE = "SyncRepWaitForLSN"
_watched: weakref.WeakSet[Any] = weakref.WeakSet()
_collected: ContextVar[list[str] | None] = ContextVar("unconfirmed commits", default=None)


def is_unconfirmed(diag: Any) -> bool:
    """Return whether a notice reports a commit that no standby has confirmed."""
    return bool(diag.source_function == _SOURCE)


def watch(connection: Any) -> None:
    """Log and collect the unconfirmed commits of a psycopg connection, and log what is never offered to it.

    Watching it again changes nothing.
    """
    if connection not in _watched:
        _watched.add(connection)
        for handler in WATCHERS:
            connection.add_notice_handler(handler)


def watch_django(connection: Any, **_signal: Any) -> None:
    """Watch a connection that Django has opened, or taken from its pool."""
    watch(connection.connection)


def _note(diag: Any) -> None:
    if not is_unconfirmed(diag):
        return
    log.warning("A commit was not confirmed by a standby: %s", diag.message_primary)
    found = _collected.get()
    if found is not None:
        found.append(diag.message_primary or "")


WATCHERS = (_note, worker_notices.note)
"""What a connection that is watched does with notices."""


@contextmanager
def unconfirmed() -> Iterator[list[str]]:
    """Collect the server's messages about unconfirmed commits of this thread during the block."""
    found: list[str] = []
    token = _collected.set(found)
    try:
        yield found
    finally:
        _collected.reset(token)
