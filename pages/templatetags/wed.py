"""Tags and filters of every page: statuses, numbers, times, ages, labels."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import lru_cache
from typing import Protocol

from django import template
from django.utils import formats, timezone
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from pages import labels
from pages.clock import NOTHING, Clock
from pages.markup import format_html
from pages.texts import Texts

register = template.Library()

_STATUSES, _JOB_STATES, _REASONS = (Texts(each) for each in (labels.STATUS, labels.JOB_STATE, labels.REASON))


class Counted(Protocol):
    """A number of rows; `capped` means "at least `n`"."""

    @property
    def n(self) -> int: ...

    @property
    def capped(self) -> bool: ...


@register.simple_tag
def status(code: str) -> SafeString:
    """Render a status as shape, text and colour, so that it can be read without one of them."""
    return format_html(
        '<span class="pill pill-{}"><span aria-hidden="true">{}</span> {}</span>',
        code,
        labels.GLYPH.get(code, "?"),
        _STATUSES.get(code, code),
    )


@register.filter
def status_name(code: str) -> str:
    return _STATUSES.get(code, code)


@register.filter
def glyph(code: str) -> str:
    return labels.GLYPH.get(code, "?")


@register.filter
def job_state(code: str) -> str:
    return _JOB_STATES.get(code, code)


@register.filter
def outcome(code: str) -> str:
    """Return the label of what the log records about a job."""
    return str(labels.OUTCOME.get(code, code))


@register.filter
def job_list(name: str) -> str:
    return str(labels.JOB_LIST.get(name, name))


@register.filter
def reason(code: str) -> str:
    """Return the sentence for the kernel's reason; other text unchanged."""
    return _REASONS.get(code, code)


@register.filter
def reason_short(text: str) -> str:
    """Return the short label of the kernel's reason, with what follows its colon."""
    code, colon, rest = text.partition(":")
    return f"{labels.REASON_SHORT.get(code, code)}{colon}{rest}"


@register.filter
def type_name(code: str) -> str:
    return str(labels.TYPE.get(code, code))


@register.filter
def worker_kind(code: str) -> str:
    return str(labels.WORKER_KIND.get(code, code))


@register.filter
def number(value: Counted | int) -> str:
    """Format a number with thousands separators; "10,000+" when counting stopped there."""
    n, capped = (value, False) if isinstance(value, int) else (value.n, value.capped)
    return _grouped(n, get_language()) + ("+" if capped else "")


@lru_cache(maxsize=4096, typed=True)
def _grouped(n: int, _language: str | None) -> str:
    return formats.number_format(n, force_grouping=True)


@register.simple_tag
def moment(at: datetime | None, precise: bool = False) -> SafeString | str:
    """Render a time: today's without the date, the whole in the title."""
    return NOTHING if at is None else Clock().moment(at, precise=precise)


@register.filter
def epoch(at: datetime) -> int:
    """Return the seconds since 1970, as scripts read times."""
    return int(at.timestamp())


@register.simple_tag
def reader_zone() -> str:
    """Return the name of the zone in which the page shows times."""
    return timezone.get_current_timezone_name()


@register.simple_tag
def ago(at: datetime | None) -> SafeString | str:
    """Render the age of a time; the script keeps it up to date."""
    return NOTHING if at is None else Clock().ago(at)


@register.filter
def duration(value: timedelta | None) -> str:
    """Format a duration in its two largest units; the second is left out if it is 0."""
    if value is None:
        return NOTHING
    seconds = max(0, int(value.total_seconds()))
    if seconds == 0 and value:
        return _("%(n)d ms") % {"n": value / timedelta(milliseconds=1)}
    days, hours, minutes = seconds // 86400, seconds // 3600, seconds // 60
    units = (days, hours % 24, minutes % 60, seconds % 60)
    largest = next((at for at, n in enumerate(units) if n), len(units) - 1)
    parts = [largest, *(at for at in (largest + 1,) if at < len(units) and units[at])]
    return " ".join(_units(at, units[at]) % {"n": units[at]} for at in parts)


def _units(place: int, n: int) -> str:
    """Return the words for a number of days, hours, minutes or seconds."""
    if place == 0:
        return ngettext("%(n)d day", "%(n)d days", n)
    if place == 1:
        return ngettext("%(n)d hour", "%(n)d hours", n)
    if place == 2:
        return ngettext("%(n)d minute", "%(n)d minutes", n)
    return ngettext("%(n)d second", "%(n)d seconds", n)


@register.filter
def theme(cookie: str | None) -> str:
    """Return the theme of the cookie, or automatic."""
    return cookie if cookie in ("dark", "light") else "auto"


@register.filter
def next_theme(current: str) -> str:
    return {"auto": "dark", "dark": "light", "light": "auto"}[current]


@register.filter
def theme_name(name: str) -> str:
    return {"auto": _("automatic"), "dark": _("dark"), "light": _("light")}[name]


@register.filter
def get(mapping: dict[str, object], key: str) -> object:
    """Return mapping[key], or None."""
    return mapping.get(key)
