"""For whom a second factor is offered or required (WEDSQL_SECOND_FACTOR)."""

from __future__ import annotations

from typing import Any

from django.conf import settings


def is_offered() -> bool:
    """Return whether this site has second factors; if not, it asks for no codes either."""
    return bool(settings.SECOND_FACTOR != "off")


def is_required(user: Any) -> bool:
    """Return whether this user gets no session without a second factor."""
    staff = user.is_staff or user.is_superuser
    return settings.SECOND_FACTOR == "required" or (settings.SECOND_FACTOR == "required-staff" and staff)
