"""Notes that users are connected: a heartbeat at their requests, once a minute at most."""

from __future__ import annotations

import time
from collections.abc import Callable

from django.db import DatabaseError, connection, transaction
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from flows import api
from flows.access import AnyUser, task_keys
from flows.errors import WedError

EVERY = 60.0
MOST_KEPT = 10_000
Answer = Callable[[HttpRequest], HttpResponseBase]


class NotePresence:
    """Calls the kernel with the audiences of a user whom this process has not noted for a minute."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response
        self.noted: dict[str, float] = {}

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        answer = self.get_response(request)
        # Only whom the page has asked for: reading the session needs the database, which may be gone.
        user = getattr(request, "_cached_user", None)
        if user is not None and user.is_authenticated:
            self.note(user)
        return answer

    def note(self, user: AnyUser) -> None:
        """Note a user if that is due. A request does not fail by it: the page says what is wrong.

        Nor does it wait for a standby: what is lost with the server is noted again within a minute.
        """
        name, now = user.get_username(), time.monotonic()
        if now - self.noted.get(name, -EVERY) < EVERY:
            return
        if len(self.noted) >= MOST_KEPT:
            self.noted.clear()
        self.noted[name] = now
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("set local synchronous_commit = local")
                api.persons.seen(name, task_keys(user))
        except (DatabaseError, WedError):
            self.noted.pop(name, None)
