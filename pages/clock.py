"""Times in the language and zone of the reader."""

from __future__ import annotations

from datetime import UTC, date, datetime
from functools import lru_cache

from django.utils import formats, timezone
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from pages.markup import format_html

NOTHING = "\N{EN DASH}"
_MOMENT = '<time datetime="{}" title="{}">{}</time>'
_AGE = '<time datetime="{}" title="{}" data-age>{}</time>'


class Clock:
    """The present moment, zone and language of a reader, which are the same for all times of a list.

    Each of them is a look-up in the thread; a list has hundreds of times.
    """

    def __init__(self) -> None:
        self._zone = timezone.get_current_timezone()
        self._now = datetime.now(UTC)
        self._today = self._now.astimezone(self._zone).date()
        self._ages: dict[int, str] = {}

    def moment(self, at: datetime | None, *, precise: bool = False, none: str = NOTHING) -> SafeString | str:
        """Return a time as HTML: today's without the date, the whole in the title; else `none`."""
        if at is None:
            return none
        local = at.astimezone(self._zone)
        clock = local.time().isoformat("milliseconds" if precise else "seconds")
        if local.date() != self._today:
            clock = f"{day(local.date())} {clock}"
        return format_html(_MOMENT, at.isoformat(), _whole(local), clock)

    def ago(self, at: datetime | None, *, none: str = NOTHING) -> SafeString | str:
        """Return the age of a time as HTML, which the script keeps up to date; `none` where there is none."""
        if at is None:
            return none
        return format_html(_AGE, at.isoformat(), _whole(at.astimezone(self._zone)), self._age(at))

    def _age(self, at: datetime) -> str:
        """Return the age in the same form as ages.js."""
        seconds = max(0, int((self._now - at).total_seconds()))
        unit = next(each for each in (86400, 3600, 60, 1) if seconds >= each or each == 1)
        if unit not in self._ages:
            self._ages[unit] = _ago(unit)
        return self._ages[unit].replace("#", str(seconds // unit))

    def is_past(self, at: datetime) -> bool:
        """Return whether a time is before the present one."""
        return at < self._now


def day(local: date) -> str:
    """Return a day in the short form of the language of the page."""
    return _day(local, get_language())


@lru_cache(maxsize=1024)
def _day(day: date, _language: str | None) -> str:
    return formats.date_format(day, "SHORT_DATE_FORMAT")


def _ago(unit: int) -> str:
    """Return the words for an age in a unit of so many seconds."""
    if unit == 1:
        return _("# s ago")
    if unit == 60:
        return _("# min ago")
    return _("# h ago") if unit == 3600 else _("# d ago")


def _whole(local: datetime) -> str:
    """Return a time with its day and the name of its zone."""
    return f"{local.replace(tzinfo=None).isoformat(' ', 'seconds')} {local.tzname()}"
