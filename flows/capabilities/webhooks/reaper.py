"""Reads what was committed for the webhooks of flows, and queues messages of the events that they choose."""

from __future__ import annotations

import logging
import time

from django.db import DatabaseError, connection

from flows import api
from flows.capabilities.webhooks.api import WebhookSteps
from flows.capabilities.webhooks.queries import chosen
from flows.error_text import summarize
from flows.errors import WedError

log = logging.getLogger("workers.alerts")

BUDGET = 5.0
_REMOVE_EVERY = 60.0
_removed = -_REMOVE_EVERY


def beside_rounds(budget: float = BUDGET) -> int:
    """Read what is new for each webhook, for `budget` seconds; return how many messages were queued."""
    until, queued = time.monotonic() + budget, 0
    for hook in api.webhooks.due():
        try:
            queued += _read(hook, until)
        except (WedError, DatabaseError) as error:
            if not connection.in_atomic_block:
                connection.close_if_unusable_or_obsolete()
            log.warning("what was committed for webhook %d was not read: %s", hook, summarize(error))
    _remove_old()
    return queued


def _read(hook: int, until: float) -> int:
    """Read what is new for a webhook; return how many messages were queued."""
    queued = 0
    while time.monotonic() < until and (found := api.webhooks.steps(hook)):
        added = _queued(found)
        queued += added or 0
        if not added and not found.more:
            break
    return queued


def _queued(found: WebhookSteps) -> int | None:
    """Queue messages of the events that meet the filter; one that fails stops no other webhook."""
    try:
        return api.webhooks.queue_steps(chosen(found))
    except WedError as error:
        problem = " ".join(str(error).split())
    except DatabaseError as error:
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()
        problem = summarize(error)
    log.warning("the filter of webhook %d failed: %s", found.hook, problem, extra={"flow": found.flow})
    api.webhooks.delay(found, problem)
    return None


def _remove_old() -> None:
    """Remove messages that are no longer shown, every minute, so that each time there are few."""
    global _removed
    if time.monotonic() - _removed > _REMOVE_EVERY:
        _removed = time.monotonic()
        api.webhooks.remove_old_messages()
