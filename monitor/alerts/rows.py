"""How pages show a rule of an alert: its state, what it compares, and its values with their units."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.utils.formats import number_format
from django.utils.translation import gettext_lazy

from flows.capabilities.alerts.api import SavedAlertRule
from monitor.alerts.forms import AGES
from monitor.labels import ALERT_KIND, ALERT_STATE
from pages.clock import NOTHING
from pages.templatetags.wed import duration

# The label of each state of a rule, and the class of its colour.
_COLOUR = {"off": "none", "failing": "X", "active": "E", "pending": "R", "new": "none", "normal": "F"}
STATE = {name: (ALERT_STATE[name], colour) for name, colour in _COLOUR.items()}


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
    flow_title: str = ""

    @property
    def state(self) -> tuple[object, str]:
        """The label and the colour of its state."""
        return STATE[self.rule.state]

    @property
    def kind(self) -> object:
        return ALERT_KIND[self.rule.kind]

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
    def waits(self) -> object:
        """Whom an active alert waits for: who has acknowledged it, else who operates the flow."""
        if not self.rule.active:
            return ""
        return self.rule.active.acknowledged_by or gettext_lazy("who operates the flow")

    @property
    def receivers(self) -> str:
        """To whom its messages go."""
        return ", ".join([*self.rule.mail, *([self.rule.url] if self.rule.url else [])])

    @property
    def lasting(self) -> timedelta:
        return timedelta(seconds=self.rule.lasting)
