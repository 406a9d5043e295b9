"""What the checks of a definition find in the history of its flow and among the workers of the moment.

Reads the newest instances only, so that the cost does not grow with the history.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from flows.definition.lint import Finding, Rule
from flows.definition.lint.findings import identity
from flows.engine.connection import JSON, rows
from flows.timing import BOUNDS

NEWEST = 1_000  # instances
SAMPLE = 20  # of them in one finding
ENOUGH = 50  # what is less often observed says nothing about proportions

# Rules are those of the definition whose conditions run; the condition on tstmp excludes the partitions of
# earlier months.
_HISTORY = """
with known as materialized (
  select k.tgid from jsonb_to_recordset(%s) k (tgid integer, predicate text)
  join wedsql.trig t on t.tgid = k.tgid and t.cpred = k.predicate
), newest as materialized (
  select i.wid, i.started_at from wedsql.instance i join wedsql.flow f on f.id = i.flow_id
  where f.name = %s order by i.wid desc limit %s
), steps as materialized (
  select t.wid, t.tgid, t.fired, t.status::text as status, t.before, t.state
  from newest n join wedsql.wed_trace t on t.wid = n.wid and t.tstmp >= n.started_at - interval '1 day'
  limit %s
), found as (
  select 'again' as kind, s.tgid, '' as name, s.wid from steps s where s.tgid = any (s.fired)
  union all
  select 'fired', f, '', s.wid from steps s cross join lateral unnest(s.fired) f
  union all
  select 'exception', s.tgid, '', s.wid from steps s where s.status = 'E' and s.tgid > 0
  union all
  select 'wrote', s.tgid, b.key, s.wid from steps s cross join lateral jsonb_object_keys(s.before) b (key)
  where s.tgid > 0 and s.before -> b.key is distinct from s.state -> b.key
)
select coalesce(kind, 'no'), tgid, name, count(distinct wid), (array_agg(distinct wid))[1:%s],
       (select count(*) from newest)
from known left join found using (tgid) group by kind, tgid, name"""
_SERVED = """
    select split_part(s, ':', 2) from wedsql.worker w cross join lateral unnest(w.serves) s
    where split_part(s, ':', 1) = %s"""
_TIMES = """
    select t.trname, t.counts from wedsql.timing t join wedsql.flow f on f.id = t.flow_id
    where f.name = %s and t.kind = 'run'"""
_SECONDS = """
    select extract(epoch from x::interval)::float8
    from unnest(%s::text[]) with ordinality u (x, n) order by n"""


@dataclass(frozen=True)
class History:
    """What is known of each rule, by its place: instances in which it happened, and their number.

    `written` has by rule the attributes that its results wrote; `times` by transition the counts of durations
    in the buckets of `flows.timing`; `timeouts` by rule seconds.
    """

    instances: int
    seen: Mapping[tuple[str, int], tuple[int, list[int]]]
    written: Mapping[int, Mapping[str, list[int]]]
    served: frozenset[str]
    times: Mapping[str, Sequence[int]]
    timeouts: Mapping[int, float]


def read_history(flow: str, rules: Sequence[Rule], conn: Any) -> History:
    """Return the facts about rules with unchanged conditions, from the history of the newest instances."""
    places = {rule.number: rule.place for rule in rules if rule.number}
    asked = [{"tgid": rule.number, "predicate": rule.trigger["predicate"]} for rule in rules if rule.number]
    found = rows(conn, _HISTORY, (JSON(asked), flow, NEWEST, 20 * NEWEST, SAMPLE))
    seen: dict[tuple[str, int], tuple[int, list[int]]] = {}
    written: dict[int, dict[str, list[int]]] = {}
    for kind, tgid, name, number, wids, _instances in found:
        if kind == "wrote":
            written.setdefault(places[tgid], {})[name] = wids
        else:
            seen[kind, places[tgid]] = (number, wids)
    return History(
        found[0][5] if found else 0,
        seen,
        written,
        frozenset(name for (name,) in rows(conn, _SERVED, (flow,))),
        {str(name): list(counts) for name, counts in rows(conn, _TIMES, (flow,))},
        _timeouts(rules, conn),
    )


def _timeouts(rules: Sequence[Rule], conn: Any) -> dict[int, float]:
    limited = [rule for rule in rules if rule.trigger.get("timeout")]
    texts = [str(rule.trigger["timeout"]) for rule in limited]
    found = rows(conn, _SECONDS, (texts,)) if texts else []
    return {rule.place: seconds for rule, (seconds,) in zip(limited, found, strict=True)}


def observed(rules: Sequence[Rule], history: History) -> Iterator[Finding]:
    """Return probable mistakes that the history or the living instances show."""
    for rule in rules:
        yield from _happened(rule, history)
        transition = rule.trigger.get("transition")
        if transition and rule.enabled and not rule.final and not rule.integrity:
            yield from _working(rule, str(transition), history)


def _happened(rule: Rule, history: History) -> Iterator[Finding]:
    _number, wids = history.seen.get(("again", rule.place), (0, []))
    if wids:
        message = _("{rule} fired again right after its own result.").format(rule=rule.title)
        yield rule.found("fired_again", "info", "observed", message, instances=wids)
    number, wids = history.seen.get(("exception", rule.place), (0, []))
    if wids:
        message = _("After {rule}, {n} of the newest {all} instances became exceptions.").format(
            rule=rule.title, n=number, all=history.instances
        )
        yield rule.found("became_exception", "info", "observed", message, instances=wids)


def _working(rule: Rule, transition: str, history: History) -> Iterator[Finding]:
    path = ("triggers", rule.place, "transition")
    if transition not in history.served and rule.trigger.get("performer") not in ("database", "person"):
        message = _("No worker serves the transition {name} at present.").format(name=transition)
        yield Finding(
            identity("no_worker", transition),
            "no_worker",
            "info",
            "observed",
            path,
            message,
            rule=rule.number,
        )
    runs = any(place == rule.place for _kind, place in history.seen)
    if runs and history.instances >= ENOUGH and ("fired", rule.place) not in history.seen:
        message = _("{rule} did not fire in the newest {all} instances.").format(
            rule=rule.title, all=history.instances
        )
        yield rule.found("never_fired", "info", "observed", message)
    yield from _timeout(rule, transition, history)


def _timeout(rule: Rule, transition: str, history: History) -> Iterator[Finding]:
    counts = history.times.get(transition, ())
    timeout = history.timeouts.get(rule.place)
    if timeout is None or sum(counts) < ENOUGH:
        return
    longer = sum(n for bound, n in zip((0.0, *BOUNDS), counts, strict=True) if bound >= timeout)
    usual = _bound(counts, 0.99)
    more: dict[str, Any] = {"path": ("triggers", rule.place, "timeout"), "others": [str(timeout)]}
    if longer * 20 > sum(counts):
        message = _("{rule} took longer than its timeout in {n} of {all} executions.").format(
            rule=rule.title, n=longer, all=sum(counts)
        )
        yield rule.found("timeout_short", "warning", "observed", message, **more)
    elif usual is not None and timeout > max(100 * usual, 600):
        message = _("The timeout of {rule} is {times} times as long as 99 of 100 executions took.").format(
            rule=rule.title, times=round(timeout / usual)
        )
        hint = _("A worker that hangs is noticed only then.")
        yield rule.found("timeout_long", "info", "observed", message, hint=hint, **more)


def _bound(counts: Sequence[int], share: float) -> float | None:
    """Return the least bound under which this share of all durations is; None where it has none."""
    below = 0
    for bound, n in zip(BOUNDS, counts, strict=False):
        below += n
        if below >= share * sum(counts):
            return bound
    return None
