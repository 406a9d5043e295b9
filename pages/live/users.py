"""The user of a live connection, read from the session, which a connection cannot change.

Channels' own middleware ignores SECRET_KEY_FALLBACKS and deletes a session made with an old key: an open
page would log its user out when a new key is introduced.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any, TypeAlias

from channels.sessions import CookieMiddleware, SessionMiddleware
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, load_backend
from django.contrib.auth.models import AbstractUser, AnonymousUser
from django.utils.crypto import constant_time_compare

AnyUser: TypeAlias = AbstractUser | AnonymousUser


def user_of(session: MutableMapping[str, Any]) -> AnyUser:
    """Return the user of a session, by the rules of `django.contrib.auth.get_user`; may query."""
    path = session.get(BACKEND_SESSION_KEY)
    if SESSION_KEY not in session or path not in settings.AUTHENTICATION_BACKENDS:
        return AnonymousUser()
    user: Any = load_backend(path).get_user(int(session[SESSION_KEY]))
    kept = session.get(HASH_SESSION_KEY, "")
    if user is None or not any(constant_time_compare(kept, each) for each in _hashes(user)):
        return AnonymousUser()
    found: AnyUser = user
    return found


def _hashes(user: Any) -> list[str]:
    return [user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()]


def live_user_stack(inner: Any) -> Any:
    """Wrap an application with the middleware for cookies and the key of the session; neither queries."""
    return CookieMiddleware(SessionMiddleware(inner))
