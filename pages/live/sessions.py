"""Ends the live connections of a session that ends: at once in this process, at the next check in others."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from pages.live.listener import sign_out


def end_lines(request: HttpRequest | None = None, **_more: Any) -> None:
    """Receive user_logged_out, which is sent while the session still has its key."""
    key = request.session.session_key if request is not None and hasattr(request, "session") else None
    if key:
        sign_out(key)
