"""Who may have and who needs a second factor (WEDSQL_SECOND_FACTOR)."""

from __future__ import annotations

from typing import Any

from django.conf import settings


def is_offered() -> bool:
    """Whether this site knows a second factor; where it does not, codes are not asked for either."""
    return bool(settings.SECOND_FACTOR != "off")


def is_required(user: Any) -> bool:
    """Whether this person has no session without one."""
    staff = user.is_staff or user.is_superuser
    return settings.SECOND_FACTOR == "required" or (settings.SECOND_FACTOR == "required-staff" and staff)
