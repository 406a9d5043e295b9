"""Labels of the monitor's pages for codes of health, filters and counts."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from flows.queries.definitions import Attribute
from flows.queries.filters import Filter

WARNING: dict[str, str | Promise] = {
    "dead_rows": _("A table has more dead rows than vacuum should leave: see the tables below."),
    "held_back": _(
        "Something open for more than five minutes prevents vacuum from removing dead rows: see below."
    ),
    "months": _(
        "The history has no partition for next month yet. The reaper creates them: check that it runs."
    ),
    "in_default": _("Rows of the history are in the default partition instead of that of their month."),
    "queue": _("PostgreSQL's notification queue fills up: a listener is stuck in a transaction."),
}
TROUBLE: dict[str, str | Promise] = {
    "expired": _("An expired lease is not given back"),
    "timers": _("A due timer does not fire"),
    "late": _("A late job is not marked"),
    "ended": _("A session past its timeout is not ended"),
    "locked": _("The flow is not maintained"),
    "sessions": _("Sessions past their timeout are not ended"),
    "locks": _("Sessions of other clients that hold locks are not ended"),
    "conditions": _("Failed conditions are not counted"),
    "refused": _("A rejected job is not handled"),
    "retired": _("A finished instance is not archived"),
    "publication": _("A scheduled definition is not published"),
}
HOLDER: dict[str, str | Promise] = {
    "transaction": _("open transaction"),
    "prepared": _("prepared transaction"),
    "slot": _("replication slot without a client"),
}
FILTER_ERROR: dict[str, str | Promise] = {
    "unknown_attribute": _("This flow has no attribute of that name."),
    "unknown_operator": _("This comparison does not suit the attribute's type."),
    "too_long": _("The value is too long: at most 1,000 characters."),
    "wrong_value": _("This value does not fit the attribute's type."),
    "no_value": _("A value is missing. To find instances without one, choose “is empty”."),
    "no_option": _("This is no option of the attribute. Its options are: %(options)s."),
}
INVARIANT: dict[str, str | Promise] = {
    "I1": _("A running instance has work pending or a timer; an exception waits for its repair."),
    "I2": _("Every condition that holds on a running instance has its job."),
    "I3": _("The history has a row for each step, in order; folded it gives the present state."),
    "I4": _("A claim and a job are applied once, and every job applied has a number that was given out."),
    "I5": _("What has ended has no pending work; a job is ready, leased, or parked at an exception."),
    "I6": _("What a job did, and every job that waits, was fired by an earlier step of its instance."),
    "I7": _("Every failed attempt is counted on its job and recorded in the log."),
    "I8": _("No session holds a transaction open or waits for a lock indefinitely; nothing is prepared."),
}


def filter_error(item: Filter, attribute: Attribute | None) -> str:
    """Return what is wrong with a filter, or ''."""
    options = ", ".join(attribute.options) if attribute else ""
    return str(FILTER_ERROR[item.error]) % {"options": options} if item.error else ""


def job_figure(state: str, n: int) -> str:
    """Return the label of a number of jobs in a state: HTML with a placeholder for the number."""
    return {
        "pending": ngettext("<b>%(n)s</b> pending", "<b>%(n)s</b> pending", n),
        "late": ngettext("<b>%(n)s</b> late", "<b>%(n)s</b> late", n),
        "leased": ngettext("<b>%(n)s</b> leased", "<b>%(n)s</b> leased", n),
        "parked": ngettext("<b>%(n)s</b> parked", "<b>%(n)s</b> parked", n),
    }[state].replace("%(n)s", "{n}")
