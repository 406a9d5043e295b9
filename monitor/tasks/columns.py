"""The columns of lists of tasks: what every task has, and attributes of its instance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from flows.filters.fields import ATTRIBUTE
from flows.queries.definitions import FlowInfo

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
OWN: Mapping[str, Sequence[str]] = {
    "aside": ("until",), "done": ("outcome", "ended"), "team": ("state", "holder"),
}  # fmt: skip
MOST = 20
LONGEST = 80


def chosen(tab: str, wanted: Sequence[str] | None) -> list[str]:
    """Return the columns of a list: those that are wanted, with those that the list always has."""
    if wanted is None:
        return list(USUAL[tab])
    return list(dict.fromkeys([*wanted, *OWN.get(tab, ())]))[:MOST]


def given(texts: Iterable[str]) -> list[str]:
    """Return the columns that a form or an address names, without what can be none."""
    names = (text.strip().replace("\x00", "") for text in texts)
    return [name for name in dict.fromkeys(names) if 0 < len(name) <= LONGEST][:MOST]


def titles(columns: Iterable[str], flows: Iterable[FlowInfo]) -> dict[str, Text]:
    """Return the titles of columns; an attribute is that of the first flow that has it, or its name."""
    found = {f"{ATTRIBUTE}{one.name}": one.title for flow in reversed([*flows]) for one in flow.attributes}
    return {name: FIXED.get(name) or found.get(name) or name.removeprefix(ATTRIBUTE) for name in columns}


def attribute(column: str) -> str:
    """Return the attribute that a column shows, "" for what every task has."""
    return "" if column in FIXED else column.removeprefix(ATTRIBUTE)
