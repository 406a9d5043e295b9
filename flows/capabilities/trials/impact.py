"""What publishing a definition would do to the living instances, and what it did otherwise."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from flows.definition import AnyDefinition
from flows.statements import JSON, value
from flows.types import Counted, GroupChoices, Impact, PublishReport, RuleImpact

NO_CHOICES = GroupChoices()
_COUNTS = ("left_exception", "new_exception", "final", "reopened")
# Seconds for a living instance that is matched again, and for one that something follows for: estimates of
# the order of magnitude, not measured on this server.
_MATCHED, _SETTLED = 0.00001, 0.0002


def impact(
    flow: str,
    definition: AnyDefinition,
    *,
    reopen_final: bool = False,
    groups: GroupChoices = NO_CHOICES,
    limit: int = 1_000_000,
    seconds: float = 20.0,
    conn: Any = None,
) -> Impact:
    """Return the effect of publishing, in one snapshot and without locks. Raises PredicateRefused ...

    Above `limit` living instances every n-th is examined; after `seconds` the examination stops. `exact` says
    whether all were.
    """
    found = value(
        conn,
        "select wedsql.impact(%s, %s, %s, %s, %s, %s)",
        (flow, JSON(definition), reopen_final, limit, seconds, JSON(groups.as_json())),
    )
    places = {number: place for place, number in enumerate(found["numbers"] or [])}
    return Impact(
        living=found["living"],
        examined=found["examined"],
        exact=found["examined"] >= found["living"],
        rules=sorted(
            (_rule(one["rule"], one["found"], places) for one in found["rules"]),
            key=lambda rule: len(places) if rule.trigger is None else rule.trigger,
        ),
        fired=found["fired"],
        settled=found["settled"],
        left_exception=_counted(found["left_exception"]),
        new_exception=_counted(found["new_exception"]),
        final=_counted(found["final"]),
        reopened=_counted(found["reopened"]),
        no_longer_final=_counted(found["no_longer_final"]),
        refused=_counted(found["refused"]),
        finals_examined=found["finals_examined"],
        stops_readers=found["attributes_change"],
        at=found["at"],
        seconds=float(found["seconds"]),
        estimated_seconds=round(found["living"] * _MATCHED + found["settled"] * _SETTLED, 1),
    )


def deviations(predicted: Impact, done: PublishReport) -> dict[str, tuple[int, int]]:
    """Return the numbers that a publication predicted otherwise: predicted and done, by name."""
    pairs = {name: (getattr(predicted, name).count, getattr(done, name)) for name in _COUNTS}
    fired = {
        f"fired {name}": (predicted.fired.get(name, 0), done.fired.get(name, 0))
        for name in sorted({*predicted.fired, *done.fired})
    }
    return {name: pair for name, pair in (pairs | fired).items() if pair[0] != pair[1]}


def _rule(number: int, found: dict[str, Any], places: dict[int, int]) -> RuleImpact:
    groups = {name: _counted(one) for name, one in found.items()}
    return RuleImpact(tgid=number if number > 0 else None, trigger=places.get(number), **groups)


def _counted(found: dict[str, Any]) -> Counted:
    return Counted(found["count"], found["sample"] or [])


def what_if(
    flow: str,
    predicate: str,
    *,
    history: bool = False,
    since: datetime | None = None,
    limit: int = 1_000_000,
    seconds: float = 20.0,
    conn: Any = None,
) -> dict[str, Any]:
    """Return where a condition holds among living instances, and since when. Raises PredicateRefused ...

    With `history` also what a rule with it would have done in the states that instances have had, after
    `since` if that is given: how often it became true, in which instances more than once, and of how many
    exceptions it was true. Above `limit` instances every n-th is examined; after `seconds` it stops. The
    counts are of those examined.
    """
    call = "select wedsql.what_if(%s, %s, %s, %s, %s, %s)"
    return value(conn, call, (flow, predicate, history, limit, seconds, since))
