"""Queues, beside the rounds, the mails about tasks that people have chosen."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection

from flows import api
from flows.capabilities.tasks.mails import queue_digest, queue_messages
from flows.error_text import summarize
from flows.errors import WedError

log = logging.getLogger("workers.reaper")

AT_ONCE = 50


def beside_rounds() -> int:
    """Queue what is due for a number of users; return how many mails were queued."""
    digests = [
        _queued(queue_digest, one, _leave_digest_out) for one in api.cases.due_digests(AT_ONCE, "tasks")
    ]
    messages = [
        _queued(queue_messages, one, _leave_messages_out) for one in api.persons.due_message_mails(AT_ONCE)
    ]
    return sum(digests) + sum(messages)


def _leave_digest_out(one: Any) -> None:
    api.cases.queue_digest(one, settings.WEDSQL_DIGEST_HOUR, "", None)


def _leave_messages_out(one: Any) -> None:
    api.persons.queue_message_mail(one, "", None)


def _queued(queue: Callable[[Any], bool], one: Any, leave_out: Callable[[Any], None]) -> bool:
    """Queue the mail of a user; one that fails is left out, and stops no other."""
    try:
        return queue(one)
    except (WedError, DatabaseError) as error:
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()
        log.warning("The mail of user %d was not queued: %s", one.user, summarize(error))
    try:
        leave_out(one)
    except (WedError, DatabaseError) as error:
        log.warning("The mail of user %d was not left out: %s", one.user, summarize(error))
    return False
