"""How pages show an SLA and a clock of it: states with their colours, durations, and links to lists."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext_lazy, pgettext_lazy

from flows.capabilities.sla.api import Clock, SavedSla
from flows.filters.tree import Condition
from monitor.sla.forms import compact

# The label of each state of a clock, and the class of its colour.
STATE = {
    "running": (gettext_lazy("running"), "R"),
    "at_risk": (gettext_lazy("at risk"), "X"),
    "paused": (pgettext_lazy("SLA", "paused"), "W"),
    "breached": (gettext_lazy("breached"), "E"),
    "met": (gettext_lazy("met"), "F"),
    "cancelled": (pgettext_lazy("SLA", "cancelled"), "none"),
}


def listed(flow: str, name: str, state: str, *, living: bool = False) -> str:
    """Return the address of the instances whose last clock of an SLA has a state."""
    query = Condition("sla", "=", (f"{name}={state}",)).text() + (" status:living" if living else "")
    return f"{reverse('monitor:flow', args=[flow])}?{urlencode({'q': query})}"


@dataclass(frozen=True)
class ClockRow:
    """A clock of an instance of a flow."""

    clock: Clock
    flow: str

    @property
    def state(self) -> tuple[object, str]:
        return STATE[self.clock.state]

    @property
    def used(self) -> timedelta:
        return timedelta(seconds=self.clock.used)

    @property
    def time(self) -> timedelta:
        return timedelta(seconds=self.clock.duration)

    @property
    def address(self) -> str:
        return listed(self.flow, self.clock.sla, self.clock.state)


@dataclass(frozen=True)
class SlaRow:
    """An SLA of a flow."""

    sla: SavedSla

    @property
    def time(self) -> str:
        return compact(self.sla.duration)

    @property
    def percent(self) -> int:
        return int(self.sla.computed * 100)

    @property
    def breached(self) -> str:
        return listed(self.sla.flow, self.sla.name, "breached", living=True)

    @property
    def at_risk(self) -> str:
        return listed(self.sla.flow, self.sla.name, "at_risk")
