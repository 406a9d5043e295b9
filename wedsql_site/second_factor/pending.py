"""Between the two steps of a log-in: who gave the right password, in a session without any right.

The session names them under a key of its own, which nothing but the second step reads.
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
    """Note that this person gave the right password just now."""
    request.session.cycle_key()
    request.session[_KEY] = {"user": user.pk, "at": time.time(), "hash": user.get_session_auth_hash()}


def user_of(request: HttpRequest) -> User | None:
    """Return who gave the right password, None when that is too long ago or no longer true."""
    noted = request.session.get(_KEY)
    if noted is None or not 0 <= time.time() - noted["at"] <= SECONDS:
        return None
    user = User.objects.filter(pk=noted["user"], is_active=True).first()
    if user is None or not constant_time_compare(noted["hash"], user.get_session_auth_hash()):
        return None
    return user


def end(request: HttpRequest) -> None:
    """Forget it: the log-in is complete."""
    request.session.pop(_KEY, None)
