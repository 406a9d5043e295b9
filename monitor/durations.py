"""Times that people type in forms, such as 90, 5m, 2h or 1d.

How long a time may be is the kernel's rule for what it is for, and no form has a limit of its own: a form
hands on what was typed, and shows the sentence of the kernel where that is too long.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from django.utils.translation import gettext as _

from flows.errors import BadAlert

UNITS: Mapping[str, int] = {"d": 86400, "h": 3600, "m": 60, "s": 1}


def seconds(text: str) -> float:
    """Return the seconds of a text such as 90, 5m, 2h or 1d. Raises BadAlert."""
    unit = text[-1:]
    return number(text[:-1]) * UNITS[unit] if unit in UNITS else number(text)


def shown(given: float) -> str:
    """Return seconds as a text in the largest unit that needs no fraction."""
    for unit, size in UNITS.items():
        if given and given % size == 0:
            return f"{given / size:.15g}{unit}"
    return f"{given:.15g}"


def number(text: str) -> float:
    """Return a number from 0. Raises BadAlert."""
    if not re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,6})?", text, re.ASCII):
        raise BadAlert(_("“%(text)s” is no number from 0, or a time such as 5m.") % {"text": text[:40]})
    return float(text)
