"""Sessions in the database, which is queried for valid keys only."""

from __future__ import annotations

import re
from typing import Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone

from flows.queries.statements import Prepared

_KEY = re.compile(r"[0-9a-z]{32}")
_found = Prepared(lambda: Session.objects.filter(session_key="").filter(expire_date__gt=timezone.now()))


class SessionStore(db.SessionStore):
    """Django's store; an invalid key in a cookie (with NUL, for instance) costs no query and no error."""

    def _validate_session_key(self, key: str | None) -> bool:
        return bool(key and _KEY.fullmatch(key))

    def _get_session_from_db(self) -> Any:
        found = _found.instance(Session, self.session_key, timezone.now())
        if found is None:
            self._session_key = None
        return found
