"""Queues the mails about open cases that people have chosen, when their time has come."""

from __future__ import annotations

import logging

from django.conf import settings
from django.contrib.auth import get_user_model

from flows import api
from flows.api.digests import DueDigest
from flows.digests import message

log = logging.getLogger("workers.alerts")

AT_ONCE = 50
# The columns that the role of the reaper may read (flows.grants).
COLUMNS = ("username", "email", "is_active", "is_staff", "is_superuser")


def queue_due() -> int:
    """Queue what is due for a number of users, as one mail for each; return how many were queued."""
    return sum(_queue(one) for one in api.due_case_digests(AT_ONCE))


def _queue(due: DueDigest) -> bool:
    """Queue the mail of a user, and note its next time also where there is nothing to send."""
    user = get_user_model().objects.only(*COLUMNS).filter(pk=due.user).first()
    if user is None:
        api.delete_case_digests(due.user)
        return False
    found = None
    try:
        found = message(user, due) if user.is_active and user.email else None
    except Exception:  # a mail that cannot be made delays those of no other user
        log.exception("a mail about cases was not made")
    queued = api.queue_case_digest(due, settings.WEDSQL_DIGEST_HOUR, user.email, found)
    return queued and found is not None
