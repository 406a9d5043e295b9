"""The state between the two steps of a log-in: the user who gave the right password.

It is stored in the session under a separate key, which only the second step reads and which gives no rights.
"""

from __future__ import annotations

import time
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

SECONDS = 300
_KEY = "log_in_first_step"


def begin(request: HttpRequest, user: Any) -> None:
    """Store that this user just gave the right password."""
    request.session.cycle_key()
    request.session[_KEY] = {"user": user.pk, "at": time.time(), "hash": user.get_session_auth_hash()}


def user_of(request: HttpRequest) -> User | None:
    """Return the user who gave the right password; None if that is too long ago or the account changed."""
    noted = request.session.get(_KEY)
    if noted is None or not 0 <= time.time() - noted["at"] <= SECONDS:
        return None
    user = User.objects.filter(pk=noted["user"], is_active=True).first()
    if user is None or not constant_time_compare(noted["hash"], user.get_session_auth_hash()):
        return None
    return user


def end(request: HttpRequest) -> None:
    """Remove the state, because the log-in is complete."""
    request.session.pop(_KEY, None)
