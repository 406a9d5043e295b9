"""Sessions in the database, which is queried for valid keys only."""

from __future__ import annotations

import re

from django.contrib.sessions.backends import db

_KEY = re.compile(r"[0-9a-z]{32}")


class SessionStore(db.SessionStore):
    """Django's store; an invalid key in a cookie (with NUL, for instance) costs no query and no error."""

    def _validate_session_key(self, key: str | None) -> bool:
        return bool(key and _KEY.fullmatch(key))
