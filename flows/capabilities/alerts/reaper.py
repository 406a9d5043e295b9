"""Evaluates the rules that are due, each within a limit of its own."""

from __future__ import annotations

import logging
import time

from django.db import DatabaseError, connection

from flows import api
from flows.capabilities.alerts.api import SavedAlertRule, TakenAlertRule
from flows.error_text import summarize
from flows.errors import WedError
from flows.filters import BadFilter, parse
from flows.queries.base import snapshot
from flows.queries.counts import CAP
from flows.queries.definitions import flow_by_name
from flows.queries.instances import matching

log = logging.getLogger("workers.alerts")

EVERY = 15.0
LIMIT_MS = 2_000
BUDGET = 5.0
_REMOVE_EVERY = 3600.0
_removed = -_REMOVE_EVERY
_CANCELED = "57014"


def beside_rounds(every: float = EVERY, budget: float = BUDGET) -> int:
    """Evaluate what is due, for `budget` seconds; the rest is due in the next round. Return how many."""
    until, done = time.monotonic() + budget, 0
    while time.monotonic() < until:
        taken = api.alerts.take_rule(every)
        if taken is None:
            break
        _settle(taken)
        done += 1
    _remove_old()
    return done


def _settle(taken: TakenAlertRule) -> None:
    """Evaluate a rule, and start or end its alert; what fails is due again later, and stops no other."""
    value, error = _measured(taken.rule)
    try:
        api.alerts.settle_rule(taken, value, error)
    except (WedError, DatabaseError) as failed:
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()
        log.warning("the alert %r was not settled: %s", taken.rule.name, summarize(failed))


def _remove_old() -> None:
    """Remove what ended long ago, every hour."""
    global _removed
    if time.monotonic() - _removed > _REMOVE_EVERY:
        _removed = time.monotonic()
        api.alerts.remove_old()


def _measured(rule: SavedAlertRule) -> tuple[float | None, str | None]:
    """Return the value that the rule compares, or why it is not known; a rule that fails stops no other."""
    try:
        return measure(rule), None
    except (BadFilter, WedError) as error:
        return None, _failed(rule, " ".join(str(error).split()))
    except DatabaseError as error:
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()
        if getattr(error.__cause__, "sqlstate", None) == _CANCELED:
            return None, _failed(rule, f"Its evaluation took longer than {LIMIT_MS / 1000:g} seconds.")
        return None, _failed(rule, summarize(error))


def _failed(rule: SavedAlertRule, reason: str) -> str:
    if not rule.error:
        log.warning("the alert %r cannot be evaluated: %s", rule.name, reason, extra={"flow": rule.flow})
    return reason


def measure(rule: SavedAlertRule) -> float | None:
    """Return the value that the rule compares. Raises BadFilter, WedError, DatabaseError."""
    if rule.kind != "count":
        with snapshot(LIMIT_MS):
            return api.alerts.measure_rule(rule.id)
    chosen = parse(rule.query, flow_by_name(rule.flow))
    with snapshot(LIMIT_MS):
        # A count stops above the threshold, so that its cost does not grow with the table.
        return float(matching(chosen, max(CAP, int(rule.threshold) + 1)).n)
