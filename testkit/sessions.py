"""Sessions that one test leaves to the next: a new one has to load the kernel's functions again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
from psycopg.pq import TransactionStatus

from flows import replication

Session = psycopg.Connection[Any]
MOST = 4
# What a session keeps of dropped flows makes each later change of a definition slower.
LONGEST_USE = 20
# `discard all` without the plans, which a session would make again for every function.
_RESET = """
close all; set session authorization default; reset all; deallocate all; unlisten *;
select pg_catalog.pg_advisory_unlock_all(); discard temp; discard sequences
"""


class SessionPool:
    """Idle sessions by what they were opened with. Each is reset before it is used again."""

    def __init__(self) -> None:
        self._idle: dict[Hashable, list[Session]] = defaultdict(list)
        self._uses: WeakKeyDictionary[Session, int] = WeakKeyDictionary()

    def get(self, key: tuple[str, tuple[tuple[str, Any], ...]]) -> Session:
        """Return a session with this URI and these options: an idle one, or a new one."""
        idle = self._idle[key]
        while idle:
            session = idle.pop()
            if _reset(session):
                return session
        # Definitions change under these connections, which would invalidate prepared plans.
        return psycopg.connect(key[0], autocommit=True, prepare_threshold=None, **dict(key[1]))

    def put(self, key: Hashable, session: Session) -> None:
        """Keep the session for another test, or close it if a reset does not undo what changed."""
        idle = self._idle[key]
        self._uses[session] = self._uses.get(session, 0) + 1
        if len(idle) < MOST and self._uses[session] < LONGEST_USE and _reset(session):
            idle.append(session)
        else:
            session.close()

    def close(self) -> None:
        """Close all idle sessions."""
        for idle in self._idle.values():
            while idle:
                idle.pop().close()


def _reset(session: Session) -> bool:
    """Return whether the session is as good as new, after ending its transaction and its settings."""
    own = {*session._notice_handlers} - {*replication.WATCHERS}  # those stay: they have no state of a test
    if session.closed or own or session._notify_handlers:
        return False
    try:
        if session.info.transaction_status is not TransactionStatus.IDLE:
            session.rollback()
        session.autocommit = True
        session.execute(_RESET)
    except psycopg.Error:
        session.close()
        return False
    return True
