"""The form of a rule of an alert."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from django.utils.translation import gettext_lazy

from flows.capabilities.alerts.api import AlertRule, SavedAlertRule
from flows.moments import later
from monitor.durations import number, seconds, shown

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
AGES = ("exception_age", "queue_age")
# Filters with which rules often begin, and what each is about.
EXAMPLES = {
    "status:exception": gettext_lazy("exceptions"),
    "status:running idle>1d": gettext_lazy("running, and unchanged for a day"),
    "is:late": gettext_lazy("with a late job"),
    "started:today": gettext_lazy("started today"),
}
FIELDS = ("name", "kind", "query", "trname", "sign", "threshold", "lasting", "mail", "url")
LONGEST = 5_000


def empty(query: str = "") -> dict[str, str]:
    """Return the fields of a new rule."""
    return {"kind": "count", "sign": ">", "threshold": "0", "lasting": "5m", "query": query, "enabled": "on"}


def of_rule(rule: SavedAlertRule) -> dict[str, str]:
    """Return the fields of a saved rule."""
    limit = shown(rule.threshold) if rule.kind in AGES else f"{rule.threshold:.15g}"
    numbers = {"threshold": limit, "lasting": shown(rule.lasting)}
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
        seconds(fields["threshold"]) if fields["kind"] in AGES else number(fields["threshold"]),
        fields["query"],
        fields["trname"],
        seconds(fields["lasting"] or "0"),
        bool(fields["enabled"]),
        [each for each in re.split(r"[\s,;]+", fields["mail"]) if each],
        fields["url"],
    )


def until(minutes: str) -> datetime | None:
    """Return the time that many minutes from now, None for 0. Raises BadAlert."""
    given = number(minutes or "0")
    return later(given * 60) if given else None
