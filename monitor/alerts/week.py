"""What a rule of an alert would have done in the last week, for its form, by the history of the instances."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta

from django.db import DataError, OperationalError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from flows.capabilities.alerts.api import AlertRule
from flows.capabilities.past import queries as past
from flows.filters import BadFilter, Filter, parse
from flows.queries.base import snapshot
from flows.queries.counts import CAP
from flows.queries.definitions import FlowInfo
from monitor.durations import shown
from pages.guard import is_timeout
from pages.templatetags.wed import number

WEEK = timedelta(days=7)
# How far moments are from each other: the finest one for which there is time is shown.
STEPS = tuple(timedelta(hours=hours) for hours in (24, 12, 6, 3))
# Of all moments together, and of one of them.
BUDGET_SECONDS, MOMENT_MS = 3.0, 1_500

Value = float | None


def foreseen(rule: AlertRule, flow: FlowInfo) -> str:
    """Return how often the rule would have started an alert in the last week, as a sentence.

    The history has no workers and no jobs that waited: for rules about them, and for filters about what it
    does not have, the sentence says that it is not known.
    """
    if rule.kind not in ("count", "exception_age"):
        return _("What it would have done in the last week is not known: the history has no waiting jobs.")
    text = rule.query if rule.kind == "count" else "status:exception"
    try:
        chosen = parse(text, flow, timezone.get_current_timezone())
        step, values = _looked(rule, chosen, time.monotonic() + BUDGET_SECONDS)
    except BadFilter as error:
        return _("What it would have done in the last week is not known.") + f" {error.message}"
    if not values:
        return _("What it would have done in the last week takes too long to find out.")
    return _sentence(rule, step, values)


def _looked(rule: AlertRule, chosen: Filter, until: float) -> tuple[timedelta, Sequence[Value]]:
    """Return the values of the week, oldest first, at the finest steps for which there was time."""
    now, known = _now(), dict[datetime, Value]()
    best: tuple[timedelta, Sequence[Value]] = (STEPS[0], ())
    for step in STEPS:
        moments = [now - WEEK + step * n for n in range(1, WEEK // step + 1)]
        for at in moments:
            if at not in known:
                if time.monotonic() > until or not _note(known, at, lambda at=at: _value(rule, chosen, at)):  # type: ignore[misc]
                    return best
        best = (step, [known[at] for at in moments])
    return best


def _now() -> datetime:
    return timezone.now()


def _note(known: dict[datetime, Value], at: datetime, value: Callable[[], Value]) -> bool:
    """Keep what was measured at a moment; return False where that takes too long."""
    try:
        with snapshot(MOMENT_MS):
            known[at] = value()
    except (OperationalError, DataError) as error:
        if isinstance(error, OperationalError) and not is_timeout(error):
            raise
        return False
    return True


def _value(rule: AlertRule, chosen: Filter, at: datetime) -> Value:
    then = chosen.as_of(at)
    if rule.kind == "count":
        return past.matching(then, CAP).n
    oldest = past.oldest_change(then)
    return None if oldest is None else (at - oldest).total_seconds()


def starts(rule: AlertRule, step: timedelta, values: Sequence[Value]) -> int:
    """Return how many alerts would have started: a value stays until the next moment."""
    return sum(length * step.total_seconds() >= rule.lasting for length in _runs(rule, values))


def _runs(rule: AlertRule, values: Sequence[Value]) -> Iterator[int]:
    """Yield for each time that the rule held at how many moments in a row it did."""
    length = 0
    for value in (*values, None):
        if value is not None and (value > rule.threshold if rule.sign == ">" else value < rule.threshold):
            length += 1
        elif length:
            yield length
            length = 0


def _sentence(rule: AlertRule, step: timedelta, values: Sequence[Value]) -> str:
    n = starts(rule, step, values)
    started = ngettext(
        "In the last week it would have started %(n)s time",
        "In the last week it would have started %(n)s times",
        n,
    ) % {"n": number(n)}
    found = [each for each in values if each is not None]
    every = _("looked at every %(hours)s hours") % {"hours": int(step.total_seconds() // 3600)}
    if not found:
        return f"{started} ({every})."
    texts = [
        shown(round(each)) if rule.kind == "exception_age" else number(int(each))
        for each in (min(found), max(found))
    ]
    between = _("values from %(least)s to %(most)s") % {"least": texts[0], "most": texts[1]}
    return f"{started} ({every}; {between})."
