"""The error of a filter: what is wrong, where in its text, and what to do."""

from __future__ import annotations

from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from flows.errors import Refused

# Message and hint by reason; the slots are facts of the error.
REASONS: dict[str, tuple[str | Promise, str | Promise]] = {
    "characters": (
        _("The filter has characters that are no text."),
        _("Remove control characters, or type the filter again."),
    ),
    "long_text": (_("The filter has more than %(limit)s characters."), _("Shorten it.")),
    "long_value": (
        _("A value has more than %(limit)s characters."),
        _("Shorten it, or look for a part of it."),
    ),
    "many": (_("The filter has more than %(limit)s conditions."), _("Use a list, as in city:(Rio, Recife).")),
    "many_values": (_("A list has more than %(limit)s values."), _("Use a range, or several filters.")),
    "many_where": (
        _("The filter has more than %(limit)s SQL predicates."),
        _('Join them by AND and OR in one, as in where:"a > 1 and b > 2".'),
    ),
    "where_concealed": (
        _("SQL predicates are not possible in a flow with values that you may not see."),
        _("Choose attributes and parts of an instance instead."),
    ),
    "deep": (_("Groups are nested more than %(limit)s deep."), _("Write the filter with fewer parentheses.")),
    "open_text": (_("A quoted text has no end."), _('Put " after it; a " within it is written \\".')),
    "open_group": (_("A “(” has no “)”."), _("Add the missing “)”.")),
    "close_group": (_("This “)” has no “(”."), _("Remove it, or add the missing “(”.")),
    "expected": (
        _("A condition is missing here."),
        _('Write one such as status:exception or amount>=100; quote the words and, or, not: "or".'),
    ),
    "sign": (
        _("“%(sign)s” has no field before it."),
        _("Write it without spaces, as in amount>=100; quote a text that begins with a sign."),
    ),
    "no_value": (
        _("“%(field)s” has no value."),
        _("Write the value after it without a space; no:%(field)s finds what is empty."),
    ),
    "unknown_field": (
        _("“%(field)s” is neither an attribute nor a part of every instance."),
        _("Choose one of: %(fields)s."),
    ),
    "unknown_anywhere": (
        _("No flow that you see has an attribute “%(field)s”."),
        _("Look for a misspelling, or narrow the list by flow:NAME."),
    ),
    "operator": (_("“%(operator)s” does not suit “%(field)s”."), _("It can be compared by: %(operators)s.")),
    "choice": (_("“%(value)s” is no value of “%(field)s”."), _("Choose one of: %(choices)s.")),
    "number": (_("“%(value)s” is no number."), _("Write it as in 1250.75, without separators of thousands.")),
    "integer": (_("“%(value)s” is no whole number."), _("Write digits only.")),
    "boolean": (_("“%(value)s” is neither yes nor no."), _("Write true or false.")),
    "date": (
        _("“%(value)s” is no date."),
        _("Write 2026-01-31, today, yesterday, or -3d for three days ago."),
    ),
    "time": (
        _("“%(value)s” is no time."),
        _("Write 2026-01-31, 2026-01-31T14:30, today, yesterday, or -2h for two hours ago."),
    ),
    "exact_time": (
        _("Nothing is equal to a moment such as “%(value)s”."),
        _("Compare it by <, <=, > or >=, or name a day or a minute."),
    ),
    "duration": (_("“%(value)s” is no duration."), _("Write 90s, 15m, 2h, 3d, 2w or 1d12h.")),
    "json": (_("“%(value)s” is no JSON."), _('Quote it, as in extra~"{\\"gift\\": true}".')),
    "path": (
        _("“%(value)s” is no path."),
        _('Write the transitions in their order, as in "tr_pack > tr_send".'),
    ),
    "pair": (
        _("“%(value)s” does not name two transitions."),
        _('Write them in their order, as in "tr_pack > tr_send"; the first may be start.'),
    ),
    "not_then": (
        _("“%(field)s” is not known of a moment in the past."),
        _("Remove it, or go back to now. Attributes can be compared, and: %(fields)s."),
    ),
    "not_of_tasks": (
        _("Tasks cannot be filtered by “%(field)s”."),
        _("Remove it. Attributes can be compared, and: %(fields)s."),
    ),
    "not_of_alerts": (
        _("Alerts cannot be filtered by “%(field)s”."),
        _("Remove it. These can be compared: %(fields)s."),
    ),
    "predicate": (_("%(problem)s"), _("%(way_out)s")),
    "many_flows": (
        _("Attributes and the past are looked up in at most %(limit)s flows; you see %(flows)s."),
        _("Narrow the list by flow:NAME."),
    ),
    "clock": (
        _("“%(value)s” is no state of an SLA."),
        _("Write NAME=STATE with running, at_risk, paused, breached, met or cancelled."),
    ),
    "unknown_sla": (
        _("The flow has no SLA “%(value)s”."),
        _("Choose one of: %(choices)s."),
    ),
    "where_flow": (
        _("An SQL predicate needs one flow, whose attributes it names."),
        _("Add flow:NAME, or open the list of the flow."),
    ),
    "wrong_value": (
        _("The database rejected a value of the filter: %(problem)s"),
        _("Correct the value."),
    ),
}  # fmt: skip


class BadFilter(Refused):
    """The text of a filter cannot be used; `where` has position, length and reason."""

    sqlstate = "WD501"
    default = _("The filter cannot be used.")

    def __init__(self, reason: str, position: int = 0, length: int = 0, **facts: Any) -> None:
        """Store the reason, a key of REASONS, the place in the text, and the facts of the message."""
        self.reason, self.position, self.length = reason, position, length
        self._slots = {"field": "", "value": "", **facts}
        super().__init__(str(self))

    @property
    def message(self) -> str:
        """Return the message about the problem."""
        return str(REASONS[self.reason][0]) % self._slots

    @property
    def hint(self) -> str:
        """Return the advice for the problem."""
        return str(REASONS[self.reason][1]) % self._slots

    @property
    def where(self) -> dict[str, Any]:
        """Return the place of the error in the text, from 0, and its reason."""
        return {"position": self.position, "length": self.length, "reason": self.reason}
