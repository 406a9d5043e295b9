"""The columns of lists of tasks: what every task has, and attributes of its instance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from monitor.lists.columns import MOST

Text = str | Promise

FIXED: Mapping[str, Text] = {
    "instance": _("Instance"),
    "flow": _("Flow"),
    "for": _("For"),
    "priority": _("Priority"),
    "due": _("Due"),
    "arrived": _("Arrived"),
    "size": _("Size"),
    "state": _("State"),
    "holder": _("Person"),
    "until": _("Put aside until"),
    "outcome": _("Outcome"),
    "ended": _("Ended"),
}
NUMBERS = frozenset({"priority", "size"})
# The columns of each list for who has chosen none.
USUAL: Mapping[str, Sequence[str]] = {
    "mine": ("instance", "flow", "for", "priority", "due", "arrived"),
    "open": ("instance", "flow", "for", "priority", "due", "arrived"),
    "aside": ("instance", "flow", "for", "priority", "due", "until"),
    "done": ("instance", "flow", "outcome", "ended"),
    "team": ("instance", "state", "holder", "for", "due", "arrived"),
}
# Those that a person may choose; a list has its own ones besides.
CHOSEN = ("instance", "flow", "for", "priority", "due", "arrived", "size")
OFFERED: Mapping[str, Text] = {name: FIXED[name] for name in CHOSEN}
OWN: Mapping[str, Sequence[str]] = {
    "aside": ("until",), "done": ("outcome", "ended"), "team": ("state", "holder"),
}  # fmt: skip


def chosen(tab: str, wanted: Sequence[str] | None) -> list[str]:
    """Return the columns of a list: those that are wanted, with those that the list always has."""
    if wanted is None:
        return list(USUAL[tab])
    return list(dict.fromkeys([*wanted, *OWN.get(tab, ())]))[:MOST]
