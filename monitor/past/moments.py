"""The moment of the history that a page or a request is about."""

from __future__ import annotations

from datetime import UTC, datetime

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from flows.queries import base

LONGEST = 40
FIRST_YEAR = 1970


class BadMoment(Exception):
    """A text that is no moment of the past; `message` says why, `hint` what to write."""

    hint = _("Write a time of the past as in 2026-01-31T14:30; without a zone it is in yours.")

    def __init__(self, message: str | Promise) -> None:
        super().__init__(str(message))
        self.message = message


def moment(text: str, now: datetime | None = None) -> datetime:
    """Return the moment of a text, which without a zone is in the reader's. Raises BadMoment.

    `now` is the present time of the kernel, if the caller has asked for it.
    """
    try:
        found = datetime.fromisoformat(text.strip())
        if not found.tzinfo:
            found = found.replace(tzinfo=timezone.get_current_timezone())
        found = found.astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadMoment(_("“%(text)s” is no time.") % {"text": text[:LONGEST]}) from None
    if found.year < FIRST_YEAR:
        raise BadMoment(_("“%(text)s” is before %(year)s.") % {"text": text[:LONGEST], "year": FIRST_YEAR})
    if found > (now or base.now()):
        raise BadMoment(_("“%(text)s” is in the future.") % {"text": text[:LONGEST]})
    return found
