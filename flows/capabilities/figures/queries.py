"""What the overview shows of figures of many flows: the trend of a window, and last week for comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from flows.labels import translate_label
from flows.queries.base import Row, rows


@dataclass(frozen=True)
class Window:
    """A window of the trend: how long, in steps of what length, from figures of which span."""

    name: str
    length: timedelta
    step: timedelta
    span: str


WINDOWS = {
    "hour": Window("hour", timedelta(hours=1), timedelta(minutes=1), "m"),
    "day": Window("day", timedelta(days=1), timedelta(hours=1), "h"),
    "week": Window("week", timedelta(days=7), timedelta(hours=6), "h"),
}


@dataclass(frozen=True)
class Place:
    """What happened in one step of a trend; times to the final state in seconds, None without any."""

    at: datetime
    until: datetime
    started: int
    finished: int
    exceptions: int
    p50: float | None
    p95: float | None


@dataclass(frozen=True)
class Pace:
    """How many instances of a flow became final in the last hour and in the same hour of last week."""

    hour: int = 0
    last_week: int = 0
    p50: float | None = None
    p95: float | None = None

    @property
    def change(self) -> int:
        return self.hour - self.last_week


_TREND = """
with hits as (
  select floor(extract(epoch from f.at - %(since)s) / %(step)s)::integer as place, f.*
  from wedsql.figure f
  where f.span = %(span)s::"char" and f.at >= %(since)s and f.at < %(until)s and f.trname = ''
    and f.flow_id = any (%(ids)s)),
buckets as (
  select h.place, u.o, sum(u.n)::bigint as n from hits h
  cross join lateral unnest(h.elapsed) with ordinality u (n, o) group by 1, 2),
times as (select b.place, array_agg(b.n order by b.o) as elapsed from buckets b group by 1)
select s.*, wedsql.percentile(t.elapsed, 0.5) as p50, wedsql.percentile(t.elapsed, 0.95) as p95
from (select h.place, sum(h.started)::bigint as started, sum(h.finished)::bigint as finished,
             sum(h.exceptions)::bigint as exceptions from hits h group by 1) s
left join times t on t.place = s.place
"""


def trend(ids: Sequence[int], window: Window, at: datetime) -> list[Place]:
    """Return every step of the window that ends with the one of `at`, the oldest first."""
    midnight = at.replace(hour=0, minute=0, second=0, microsecond=0)
    until = midnight + ((at - midnight) // window.step + 1) * window.step
    since = until - window.length
    found = {
        r["place"]: r
        for r in rows(
            _TREND,
            {
                "ids": list(ids),
                "span": window.span,
                "since": since,
                "until": until,
                "step": window.step.total_seconds(),
            },
        )
    }
    return [
        _place(found.get(n, {}), since + n * window.step, window.step)
        for n in range(window.length // window.step)
    ]


def _place(found: Row, at: datetime, step: timedelta) -> Place:
    return Place(
        at,
        at + step,
        found.get("started", 0),
        found.get("finished", 0),
        found.get("exceptions", 0),
        found.get("p50"),
        found.get("p95"),
    )


_PACES = """
with hits as (
  select f.flow_id, f.at >= %(hour)s as recent, f.finished, f.elapsed from wedsql.figure f
  where f.span = 'm' and f.trname = '' and f.flow_id = any (%(ids)s)
    and (f.at >= %(hour)s and f.at < %(until)s
         or f.at >= %(hour)s - interval '7 days' and f.at < %(until)s - interval '7 days')),
buckets as (
  select h.flow_id, u.o, sum(u.n)::bigint as n from hits h
  cross join lateral unnest(h.elapsed) with ordinality u (n, o) where h.recent group by 1, 2),
times as (select b.flow_id, array_agg(b.n order by b.o) as elapsed from buckets b group by 1)
select s.*, wedsql.percentile(t.elapsed, 0.5) as p50, wedsql.percentile(t.elapsed, 0.95) as p95
from (select h.flow_id, coalesce(sum(h.finished) filter (where h.recent), 0)::bigint as hour,
             coalesce(sum(h.finished) filter (where not h.recent), 0)::bigint as last_week
      from hits h group by 1) s
left join times t on t.flow_id = s.flow_id
"""


def hour_before(at: datetime) -> tuple[datetime, datetime]:
    """Return beginning and end of the last sixty whole minutes before `at`."""
    until = at.replace(second=0, microsecond=0)
    return until - timedelta(hours=1), until


def paces(ids: Sequence[int], at: datetime) -> dict[int, Pace]:
    """Return by flow what became final in the hour before `at`, and a week before that."""
    hour, until = hour_before(at)
    found = rows(_PACES, {"ids": list(ids), "hour": hour, "until": until})
    return {r.pop("flow_id"): Pace(**r) for r in found}


@dataclass(frozen=True)
class Changed:
    """A flow whose pace changed against the same hour of last week."""

    flow: str
    label: str
    pace: Pace

    @property
    def title(self) -> str:
        """Return the label in the language of the reader, or the name."""
        return translate_label(self.label) or self.flow


MOST_CHANGED = 3
# Flows that did something by the day of that hour: a new flow has not changed since.
_KNOWN_SINCE = """
select f.id, f.name, f.label from wedsql.flow f
where f.id = any (%s) and exists (
  select from wedsql.figure g where g.span = 'd' and g.flow_id = f.id and g.at <= %s)
"""


def changed_most(paces: Mapping[int, Pace], at: datetime) -> list[Changed]:
    """Return the flows of which most more, or fewer, instances became final than a week ago."""
    changed = {flow: pace for flow, pace in paces.items() if pace.change}
    week_ago = hour_before(at)[0] - timedelta(weeks=1)
    found = [
        Changed(r["name"], r["label"], changed[r["id"]])
        for r in rows(_KNOWN_SINCE, [list(changed), week_ago])
    ]
    return sorted(found, key=lambda each: (-abs(each.pace.change), each.flow))[:MOST_CHANGED]
