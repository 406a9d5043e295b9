"""Sessions in the database, which is queried for valid keys only."""

from __future__ import annotations

import re
from typing import Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db.models.functions import Now

from flows.queries.statements import Prepared

_KEY = re.compile(r"[0-9a-z]{32}")
# Of every request: without a time to send, or to read, in half the time of the row with its expiry.
_data = Prepared(
    lambda: Session.objects.filter(session_key="", expire_date__gt=Now()).values_list("session_data")
)


class SessionStore(db.SessionStore):
    """Django's store; an invalid key in a cookie (with NUL, for instance) costs no query and no error."""

    def _validate_session_key(self, key: str | None) -> bool:
        return bool(key and _KEY.fullmatch(key))

    def load(self) -> dict[str, Any]:
        """Return the data of the session; none of one that has expired, whose key is forgotten."""
        found = _data.rows(self.session_key)
        if not found:
            self._session_key = None
            return {}
        return self.decode(found[0][0])
