"""The form of a rule of an alert."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from flows.capabilities.alerts.api import AlertRule, SavedAlertRule
from flows.errors import BadAlert

KIND = {
    "count": gettext_lazy("Instances that meet a filter"),
    "exception_age": gettext_lazy("Age of the oldest exception"),
    "queue_age": gettext_lazy("Age of the oldest waiting job of a transition"),
    "workers": gettext_lazy("Workers that serve a transition"),
}
EVENT = {
    "defined": gettext_lazy("defined"),
    "changed": gettext_lazy("changed"),
    "started": gettext_lazy("alert started"),
    "ended": gettext_lazy("alert ended"),
    "acknowledged": gettext_lazy("acknowledged"),
    "silenced": gettext_lazy("silenced"),
    "unsilenced": gettext_lazy("no longer silenced"),
    "failed": gettext_lazy("cannot be evaluated"),
    "recovered": gettext_lazy("evaluated again"),
    "tested": gettext_lazy("tested"),
}
STATUS = {
    "waiting": gettext_lazy("waiting"),
    "sent": gettext_lazy("delivered"),
    "failed": gettext_lazy("failed"),
}
UNITS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}
AGES = ("exception_age", "queue_age")
FIELDS = ("name", "kind", "query", "trname", "sign", "threshold", "lasting", "mail", "url")
LONGEST = 5_000
A_YEAR = 366 * 24 * 60


def empty(query: str = "") -> dict[str, str]:
    """Return the fields of a new rule."""
    return {"kind": "count", "sign": ">", "threshold": "0", "lasting": "5m", "query": query, "enabled": "on"}


def of_rule(rule: SavedAlertRule) -> dict[str, str]:
    """Return the fields of a saved rule."""
    limit = time(rule.threshold) if rule.kind in AGES else f"{rule.threshold:.15g}"
    numbers = {"threshold": limit, "lasting": time(rule.lasting)}
    texts = {name: str(getattr(rule, name)) for name in ("name", "kind", "query", "trname", "sign", "url")}
    return texts | numbers | {"mail": " ".join(rule.mail), "enabled": "on" if rule.enabled else ""}


def given(form: Mapping[str, str]) -> dict[str, str]:
    """Return the fields that were sent, without the character NUL."""
    return {name: form.get(name, "").replace("\x00", "")[:LONGEST].strip() for name in (*FIELDS, "enabled")}


def rule_of(fields: Mapping[str, str]) -> AlertRule:
    """Return the rule that the fields describe. Raises BadAlert."""
    return AlertRule(
        fields["name"],
        fields["kind"],
        fields["sign"],
        seconds(fields["threshold"]) if fields["kind"] in AGES else _number(fields["threshold"]),
        fields["query"],
        fields["trname"],
        seconds(fields["lasting"] or "0"),
        bool(fields["enabled"]),
        [each for each in re.split(r"[\s,;]+", fields["mail"]) if each],
        fields["url"],
    )


def until(minutes: str) -> datetime | None:
    """Return the time that many minutes from now, None for 0. Raises BadAlert."""
    number = _number(minutes or "0")
    if number > A_YEAR:
        raise BadAlert(_("An alert is silenced for at most a year."))
    return datetime.now(UTC) + timedelta(minutes=number) if number else None


def seconds(text: str) -> float:
    """Return the seconds of a text such as 90, 5m, 2h or 1d. Raises BadAlert."""
    unit = text[-1:]
    return _number(text[:-1]) * UNITS[unit] if unit in UNITS else _number(text)


def time(seconds: float) -> str:
    """Return seconds as a text in the largest unit that needs no fraction."""
    for unit, size in UNITS.items():
        if seconds and seconds % size == 0:
            return f"{seconds / size:.15g}{unit}"
    return f"{seconds:.15g}"


def _number(text: str) -> float:
    if not re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,6})?", text, re.ASCII):
        raise BadAlert(_("“%(text)s” is no number from 0, or a time such as 5m.") % {"text": text[:40]})
    return float(text)
