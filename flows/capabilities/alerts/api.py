"""Alerts: rules about a flow, which the reaper evaluates, and what they started, ended and reported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from flows.capabilities.alerts.receivers import allowed, check_url
from flows.statements import JSON, read_as, rows, value


@dataclass(frozen=True)
class AlertRule:
    """What a rule compares, and who is notified.

    `kind` is count (instances of the filter `query`), exception_age and queue_age (seconds), or workers (that
    serve the transition); `lasting` is how many seconds the comparison must hold. Whoever saves a rule has
    parsed its filter. Without a `secret` the one from before is kept.
    """

    name: str
    kind: str
    sign: str
    threshold: float
    query: str = ""
    trname: str = ""
    lasting: float = 0
    enabled: bool = True
    mail: Sequence[str] = ()
    url: str = ""
    secret: str = ""


@dataclass(frozen=True)
class ActiveAlert:
    """An alert that has started and not ended."""

    id: int
    started_at: datetime
    value: float
    acknowledged_at: datetime | None = None
    acknowledged_by: str | None = None
    note: str = ""


@dataclass(frozen=True)
class SavedAlertRule(AlertRule):
    """A rule as it is saved, without its secret; with what was last measured, or why that failed.

    `state` is off, failing, active, pending (the comparison holds, but not long enough), new or normal.
    """

    id: int = 0
    flow: str = ""
    revision: int = 1
    changed_by: str = ""
    changed_at: datetime | None = None
    silenced_until_at: datetime | None = None
    measured_at: datetime | None = None
    value: float | None = None
    held_since_at: datetime | None = None
    error: str | None = None
    active: ActiveAlert | None = None
    state: str = "new"


@dataclass(frozen=True)
class TakenAlertRule:
    """A rule to evaluate, and the kernel's time at which it was taken."""

    rule: SavedAlertRule
    taken_at: datetime


@dataclass(frozen=True)
class AlertCounts:
    """How many alerts are active, how many of them are not acknowledged, and how many rules fail."""

    active: int
    unacknowledged: int
    failing: int


def save_alert_rule(
    flow: str, rule: AlertRule, actor: str, replaced: int | None = None, *, conn: Any = None
) -> SavedAlertRule:
    """Save a rule, which replaces the one of that number. Raises UnknownFlow, BadAlert, UnknownAlert."""
    if rule.url:
        check_url(rule.url, allowed())
    call = "select wedsql.save_alert_rule(%s, %s, %s, %s)"
    given = {name: each for name, each in asdict(rule).items() if name in AlertRule.__dataclass_fields__}
    return _rule(value(conn, call, (flow, JSON(given), actor, replaced)))


def delete_alert_rule(rule: int, actor: str | None = None, *, conn: Any = None) -> None:
    """Remove a rule with its history. Raises UnknownAlert."""
    value(conn, "select wedsql.delete_alert_rule(%s, %s)", (rule, actor))


def list_alert_rules(flows: Sequence[str] | None = None, *, conn: Any = None) -> list[SavedAlertRule]:
    """Return the rules of these flows, or of all: those with an active alert first."""
    names = None if flows is None else list(flows)
    return [_rule(found) for (found,) in rows(conn, "select wedsql.list_alert_rules(%s::text[])", (names,))]


def listed_alert_rules(
    numbers: Sequence[int], flows: Sequence[str] | None = None, *, conn: Any = None
) -> list[SavedAlertRule]:
    """Return these rules in their order, those that there are, at most 501."""
    call = "select wedsql.alert_rule_items(%s::text[], %s::bigint[])"
    names = None if flows is None else list(flows)
    return [_rule(found) for (found,) in rows(conn, call, (names, list(numbers)))]


def count_alert_states(flows: Sequence[str] | None = None, *, conn: Any = None) -> dict[str, int]:
    """Return how many rules of these flows, or of all, there are of each state that one has."""
    names = None if flows is None else list(flows)
    found = rows(conn, "select * from wedsql.count_alert_states(%s::text[])", (names,))
    return {state: int(n) for state, n in found}


def read_alert_rule(rule: int, *, conn: Any = None) -> SavedAlertRule:
    """Return a rule. Raises UnknownAlert."""
    return _rule(value(conn, "select wedsql.read_alert_rule(%s)", (rule,)))


def count_alerts(flows: Sequence[str] | None = None, *, conn: Any = None) -> AlertCounts:
    """Return how many alerts of these flows, or of all, are active, and how many rules fail."""
    names = None if flows is None else list(flows)
    return AlertCounts(*rows(conn, "select * from wedsql.count_alerts(%s::text[])", (names,))[0])


def alert_history(
    rule: int, before: int | None = None, limit: int = 100, *, conn: Any = None
) -> list[dict[str, Any]]:
    """Return the history of a rule before the entry of a number, newest first, with deliveries."""
    call = "select wedsql.alert_history(%s, %s, %s)"
    found = [each for (each,) in rows(conn, call, (rule, before, limit))]
    return [each | {"at": datetime.fromisoformat(each["at"])} for each in found]


def acknowledge_alert(rule: int, actor: str, note: str = "", *, conn: Any = None) -> SavedAlertRule:
    """Acknowledge the active alert of a rule. Raises BadAlert, UnknownAlert."""
    return _rule(value(conn, "select wedsql.acknowledge_alert(%s, %s, %s)", (rule, actor, note)))


def silence_alert(
    rule: int, until: datetime | None, actor: str, note: str = "", *, conn: Any = None
) -> SavedAlertRule:
    """Report nothing of a rule until a time; with None, report it again. Raises BadAlert, UnknownAlert."""
    call = "select wedsql.silence_alert(%s, %s::timestamptz, %s, %s)"
    return _rule(value(conn, call, (rule, until, actor, note)))


def send_test_alert(rule: int, actor: str, *, conn: Any = None) -> int:
    """Queue a message to every receiver of a rule; return their number. Raises BadAlert, UnknownAlert."""
    return int(value(conn, "select wedsql.test_alert_rule(%s, %s)", (rule, actor)))


def take_alert_rule(every: float = 15, *, conn: Any = None) -> TakenAlertRule | None:
    """Return the rule that is due first, for the reaper; it is due again after `every` seconds."""
    found = value(conn, "select wedsql.take_alert_rule(make_interval(secs => %s))", (every,))
    return TakenAlertRule(_rule(found), datetime.fromisoformat(found["taken_at"])) if found else None


def measure_alert(flow: str, kind: str, transition: str = "", *, conn: Any = None) -> float | None:
    """Return the current value for a rule of this kind, which is not about a filter. Raises UnknownFlow."""
    found = value(conn, "select wedsql.measure_alert(%s, %s, %s)", (flow, kind, transition))
    return None if found is None else float(found)


def measure_alert_rule(rule: int, *, conn: Any = None) -> float | None:
    """Return the value that a rule compares, for a rule that is not about a filter."""
    found = value(conn, "select wedsql.measure_alert_rule(%s)", (rule,))
    return None if found is None else float(found)


def settle_alert_rule(
    taken: TakenAlertRule, measured: float | None, error: str | None = None, *, conn: Any = None
) -> bool:
    """Start or end the alert of a rule by what was measured; return False if that was out of date."""
    call = "select wedsql.settle_alert_rule(%s, %s, %s::timestamptz, %s::float8, %s)"
    return bool(value(conn, call, (taken.rule.id, taken.rule.revision, taken.taken_at, measured, error)))


def remove_old_alerts(limit: int = 10_000, *, conn: Any = None) -> int:
    """Remove entries of histories older than a year, at most `limit` of each kind."""
    return int(value(conn, "select wedsql.remove_old_alerts(%s)", (limit,)))


def _rule(found: Mapping[str, Any]) -> SavedAlertRule:
    kept = {name: each for name, each in found.items() if name in SavedAlertRule.__dataclass_fields__}
    active = kept.pop("active", None)
    return read_as(SavedAlertRule, kept | {"active": read_as(ActiveAlert, active) if active else None})
