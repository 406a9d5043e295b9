"""Computes signatures and ends waits in the rounds; beside them, queues the mails that people have chosen."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import psycopg
from django.conf import settings
from django.db import DatabaseError, connection

from flows import api
from flows.capabilities.cases.digests import DueDigest
from flows.capabilities.cases.mails import queue
from flows.error_text import summarize
from flows.errors import WedError
from flows.rounds import continue_while

log = logging.getLogger("workers.reaper")

AT_ONCE = 50
_SLICE = 200
_REMOVE_EVERY = 60.0
_removed = -_REMOVE_EVERY


def in_round(connection: psycopg.Connection[Any]) -> None:
    """Compute signatures and examine waits slice by slice."""
    for what, advance in (("Signatures", api.cases.sign), ("Waits", api.cases.end_waits)):
        more = partial(_advanced, advance, connection)
        continue_while(more, f"{what} of cases were not examined")


def _advanced(advance: Callable[..., int], connection: psycopg.Connection[Any]) -> bool:
    return advance(_SLICE, conn=connection) >= _SLICE


def beside_rounds() -> int:
    """Queue what is due for a number of users, as one mail for each; return how many were queued."""
    _remove_old()
    return sum(_queued(one) for one in api.cases.due_digests(AT_ONCE))


def _queued(one: DueDigest) -> bool:
    """Queue the mail of a user; one that fails is left out until its next time, and stops no other."""
    try:
        return queue(one)
    except (WedError, DatabaseError) as error:
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()
        log.warning("The mail of user %d was not queued: %s", one.user, summarize(error))
    try:
        api.cases.queue_digest(one, settings.WEDSQL_DIGEST_HOUR, "", None)
    except (WedError, DatabaseError) as error:
        log.warning("The mail of user %d was not left out: %s", one.user, summarize(error))
    return False


def _remove_old() -> None:
    """Remove mails that were sent or failed long ago, every minute, so that each time there are few."""
    global _removed
    if time.monotonic() - _removed > _REMOVE_EVERY:
        _removed = time.monotonic()
        api.cases.remove_old_digests()
