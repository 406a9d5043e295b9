"""The end of a session ends its live lines: in this process at once, in others at their next look."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from pages.live.listener import sign_out


def end_lines(request: HttpRequest | None = None, **_more: Any) -> None:
    """Receiver of user_logged_out, which is sent while the session still has its key."""
    key = request.session.session_key if request is not None and hasattr(request, "session") else None
    if key:
        sign_out(key)
