"""Values of a state in the reader's language and zone, by the type of their attribute."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal, InvalidOperation

from django.utils import formats, timezone

from pages.labels import BOOLEAN

# Longer numbers are shown as they are.
LONGEST_NUMBER = 60


def shown(text: str, kind: str) -> str:
    """Return a value for people; one that its type's form cannot express is returned unchanged."""
    if label_of := getattr(kind, "label_of", None):  # of an attribute with options
        return str(label_of(text))
    try:
        return _SHOWN[kind](text) if kind in _SHOWN else text
    except (ValueError, OverflowError, InvalidOperation):
        return text


def _number(text: str) -> str:
    if len(text) <= 3 and text.isascii() and text.isdigit():  # most numbers of a list need no form
        return text
    if len(text) > LONGEST_NUMBER or not Decimal(text).is_finite() or "e" in text.lower():
        return text
    places = len(text.partition(".")[2])
    return formats.number_format(Decimal(text), decimal_pos=places, force_grouping=True)


def _date(text: str) -> str:
    return formats.date_format(date.fromisoformat(text), "SHORT_DATE_FORMAT")


def _moment(text: str) -> str:
    local = timezone.localtime(datetime.fromisoformat(text))
    return f"{formats.date_format(local, 'SHORT_DATE_FORMAT')} {local:%H:%M:%S} {local:%Z}"


def _boolean(text: str) -> str:
    return str(BOOLEAN.get(text, text))


_SHOWN: dict[str, Callable[[str], str]] = {
    "integer": _number,
    "numeric": _number,
    "date": _date,
    "timestamptz": _moment,
    "boolean": _boolean,
}
