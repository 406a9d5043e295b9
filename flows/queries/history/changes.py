"""The steps of instances in the order in which they became visible, from any place in the history.

Transactions commit in another order than that of their numbers, so a place is a snapshot: the transactions
that had finished. What is visible now and was not then comes next, each step once. A place may also be inside
of such a batch. Steps of one instance come in their order.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from flows.queries.base import row, rows, scalar

PAGE = 500
# About how many steps a batch has; a page of it reads all of them.
BATCH = 5_000
_SEEN = re.compile(r"[0-9]{1,18}(-[0-9]{1,18}){0,2000}", re.ASCII)
_PLACE = re.compile(r"([0-9a-f]{8})\.([0-9-]+)(?:\.([0-9-]+)\.([0-9]{1,9})\.([0-9]{1,9}))?", re.ASCII)
MOST_CHARACTERS = 16_000


class BadPlace(ValueError):
    """A text is not a place in the history of this database."""


@dataclass(frozen=True)
class Seen:
    """The transactions that had finished: those below `end` except `running`."""

    end: int
    running: frozenset[int] = frozenset()

    def up_to(self, end: int) -> Seen:
        return Seen(end, frozenset(each for each in self.running if each < end))

    def __str__(self) -> str:
        return "-".join(map(str, [self.end, *sorted(self.end - each for each in self.running)]))

    @classmethod
    def parse(cls, text: str) -> Seen:
        if not _SEEN.fullmatch(text):
            raise BadPlace
        end, *distances = map(int, text.split("-"))
        return cls(end, frozenset(end - each for each in distances))


@dataclass(frozen=True)
class Place:
    """Behind all steps that `after` has seen; with `until`, also behind those of its batch up to a step."""

    source: str
    after: Seen
    until: Seen | None = None
    wid: int = 0
    seq: int = 0

    def __str__(self) -> str:
        start = f"{self.source}.{self.after}"
        return start if self.until is None else f"{start}.{self.until}.{self.wid}.{self.seq}"

    @classmethod
    def parse(cls, text: str) -> Place:
        """Return the place of a text. Raises BadPlace."""
        found = _PLACE.fullmatch(text) if len(text) <= MOST_CHARACTERS else None
        if found is None:
            raise BadPlace
        source, after, until, wid, seq = found.groups()
        if until is None:
            return cls(source, Seen.parse(after))
        return cls(source, Seen.parse(after), Seen.parse(until), int(wid), int(seq))


@dataclass(frozen=True)
class Change:
    """One step of an instance; `place` is the one behind it."""

    flow: str
    wid: int
    seq: int
    at: datetime
    written_by: str
    fired: list[str]
    status: str
    job: int | None
    cause: int | None
    actor: str
    reason: str | None
    version: int
    place: Place


@dataclass(frozen=True)
class Batch:
    """Some changes, the place behind them, and whether there are more already."""

    changes: list[Change]
    place: Place
    more: bool


# Numbers of transactions have a meaning in one cluster only, and after a restore in one timeline of it.
_NOW = """
select pg_current_snapshot()::text as seen, left(md5(concat_ws(':',
  (select c.system_identifier from pg_control_system() c),
  (select c.timeline_id from pg_control_checkpoint() c),
  (select d.oid from pg_database d where d.datname = current_database()),
  (select extract(epoch from s.restored_at) from wedsql.figure_state s))), 8) as source
"""
# `before` are the transactions that ran at the beginning and have finished.
_WRITTEN = """(
  select t.* from wedsql.wed_trace t
  where t.xid >= %(start)s and t.xid < %(end)s and t.xid <> all(%(running)s::bigint[])
  union all
  select t.* from wedsql.wed_trace t where t.xid = any(%(before)s::bigint[]))"""
_CHANGES = f"""
select f.name as flow, t.wid, t.seq, t.tstmp as at, t.trw as written_by, t.trf as fired,
       t.status::text as status, t.job_id as job, t.cause_seq as cause, t.actor, t.reason, t.version
from {_WRITTEN} t join wedsql.flow f on f.id = t.flow_id
where (t.wid, t.seq) > (%(wid)s, %(seq)s) and (%(every)s or f.name = any(%(flows)s::text[]))
  and t.tx_at >= (select s.restored_at from wedsql.figure_state s)
order by t.wid, t.seq limit %(limit)s
"""  # noqa: S608  # constants
_END = """
select t.xid from wedsql.wed_trace t where t.xid >= %s and t.xid < %s order by t.xid offset %s limit 1
"""
# The last transaction at or behind the end of a batch that wrote a step before one of the batch.
_EARLIER_STEP = f"""
select max(p.xid) from {_WRITTEN} t join wedsql.wed_trace p on p.wid = t.wid and p.seq = t.seq - 1
where p.xid >= %(end)s
"""  # noqa: S608  # constants


def here() -> Place:
    """Return the place behind all changes that are visible now."""
    found = row(_NOW)
    assert found is not None  # noqa: S101 - an aggregate
    _first, end, running = found["seen"].split(":")
    return Place(found["source"], Seen(int(end), frozenset(int(each) for each in running.split(",") if each)))


def check(place: Place, now: Place) -> None:
    """Raise BadPlace for a place of another database, or of a time that a restored one does not have."""
    last = place.until or place.after
    if place.source != now.source or not place.after.end <= last.end <= now.after.end:
        raise BadPlace


def read(place: Place, flows: Collection[str] | None) -> Batch:
    """Return the next changes of these flows (None: all), at most PAGE.

    Needs a transaction with one snapshot for all of its statements.
    """
    now = here().after
    until = place.until or _end_of_batch(place.after, now)
    limits: dict[str, Any] = {"wid": place.wid, "seq": place.seq, "limit": PAGE + 1}
    chosen = {"every": flows is None, "flows": list(flows or ())}
    found = rows(_CHANGES, _between(place.after, until) | limits | chosen)
    behind = Place(place.source, until)
    changes = [_change(each, place, until) for each in found[:PAGE]]
    if len(found) > PAGE:
        return Batch(changes, changes[-1].place, more=True)
    if changes:
        changes[-1] = replace(changes[-1], place=behind)
    return Batch(changes, behind, more=until != now)


def _change(found: dict[str, Any], start: Place, until: Seen) -> Change:
    return Change(**found, place=Place(start.source, start.after, until, found["wid"], found["seq"]))


def _between(after: Seen, until: Seen) -> dict[str, Any]:
    """Return the parameters of what `until` has seen and `after` has not."""
    before = [each for each in after.running if each not in until.running and each < until.end]
    return {"start": after.end, "end": until.end, "running": list(until.running), "before": before}


def _end_of_batch(after: Seen, now: Seen) -> Seen:
    """Return how far the next batch goes: to now, or, if there is much, about BATCH steps.

    A step whose transaction has a smaller number than that of the step before it must not come first.
    """
    end = scalar(_END, [after.end, now.end, BATCH])
    while end is not None:
        end = max(end, after.end + 1)
        until = now.up_to(end)
        later = scalar(_EARLIER_STEP, _between(after, until))
        if later is None:
            return until
        end = later + 1
    return now
