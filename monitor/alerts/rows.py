"""How pages show a rule of an alert: its state, what it compares, and its values with their units."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.utils.formats import number_format
from django.utils.translation import gettext_lazy

from flows.capabilities.alerts.api import SavedAlertRule
from monitor.alerts.forms import AGES, KIND
from pages.templatetags.wed import NOTHING, duration

# The label of each state of a rule, and the class of its colour.
STATE = {
    "off": (gettext_lazy("switched off"), "none"),
    "failing": (gettext_lazy("cannot be evaluated"), "X"),
    "active": (gettext_lazy("active"), "E"),
    "pending": (gettext_lazy("pending"), "R"),
    "new": (gettext_lazy("not measured yet"), "none"),
    "normal": (gettext_lazy("normal"), "F"),
}


def state(rule: SavedAlertRule) -> str:
    """Return the state of a rule; one that cannot be evaluated may have an active alert too."""
    found = {
        "off": not rule.enabled,
        "failing": rule.error is not None,
        "active": rule.active is not None,
        "pending": rule.held_since_at is not None,
        "new": rule.measured_at is None,
    }
    return next((name for name, holds in found.items() if holds), "normal")


def measured(kind: str, value: float | None) -> str:
    """Return the measured value, or the one it is compared with, with its unit."""
    if value is None:
        return NOTHING
    if kind in AGES:
        return duration(timedelta(seconds=float(value)))
    return str(number_format(value, force_grouping=True, decimal_pos=None if value % 1 else 0))


@dataclass(frozen=True)
class RuleRow:
    """A rule with its texts."""

    rule: SavedAlertRule

    @property
    def state(self) -> tuple[object, str]:
        """The label and the colour of its state."""
        return STATE[state(self.rule)]

    @property
    def kind(self) -> object:
        return KIND[self.rule.kind]

    @property
    def about(self) -> str:
        """The filter or the transition."""
        return self.rule.query or self.rule.trname

    @property
    def value(self) -> str:
        return measured(self.rule.kind, self.rule.value)

    @property
    def limit(self) -> str:
        return measured(self.rule.kind, self.rule.threshold)

    @property
    def lasting(self) -> timedelta:
        return timedelta(seconds=self.rule.lasting)
