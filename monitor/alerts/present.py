"""What a rule of an alert measures at present, for its form."""

from __future__ import annotations

from django.db import DataError, OperationalError
from django.utils import timezone
from django.utils.translation import gettext as _

from flows import api
from flows.capabilities.alerts.api import AlertRule
from flows.errors import Refused
from flows.filters import parse
from flows.queries import instances
from flows.queries.base import snapshot
from flows.queries.counts import CAP
from flows.queries.definitions import FlowInfo
from monitor.durations import shown
from pages.guard import is_timeout
from pages.templatetags.wed import number


def measured(rule: AlertRule, flow: FlowInfo) -> str:
    """Return the current measurement and whether it is beyond the limit, as a sentence.

    Raises BadFilter, and Refused where it cannot be measured in time.
    """
    try:
        with snapshot():
            found = _value(rule, flow)
    except (OperationalError, DataError) as error:
        if isinstance(error, OperationalError) and not is_timeout(error):
            raise
        raise Refused(_("It cannot be measured in time; a narrower filter can.")) from error
    if found is None:
        return _("Now: nothing of this kind waits. The alert does not start.")
    text = shown(round(found)) if rule.kind.endswith("_age") else number(int(found))
    beyond = found > rule.threshold if rule.sign == ">" else found < rule.threshold
    if beyond:
        return _("Now: %(value)s. The alert starts if it stays so.") % {"value": text}
    return _("Now: %(value)s. The alert does not start.") % {"value": text}


def _value(rule: AlertRule, flow: FlowInfo) -> float | None:
    """Return a number of instances or workers, or an age in seconds; None where nothing has an age."""
    if rule.kind != "count":
        return api.alerts.measure(flow.name, rule.kind, rule.trname)
    return instances.matching(parse(rule.query, flow, timezone.get_current_timezone()), CAP).n
