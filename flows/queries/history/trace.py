"""The history of one instance: what each step changed, which job or user wrote it, and what it fired."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flows.queries.base import Row, rows
from flows.queries.paging import Cursor, Page, cut

CELL_CHARS = 400
RAW_BYTES = 16_000_000


@dataclass(frozen=True)
class Cell:
    """One attribute that a step wrote; None is SQL NULL; in the first state (`initial`) `before` is None."""

    name: str
    before: str | None
    after: str | None
    initial: bool = False

    @property
    def changed(self) -> bool:
        return self.initial or self.before != self.after


@dataclass(frozen=True)
class Step:
    """One row of the trace."""

    wid: int
    seq: int
    at: datetime
    written_by: str
    fired: tuple[str, ...]
    status: str
    job_id: int | None
    cause_seq: int | None
    replays_seq: int | None
    actor: str
    reason: str | None
    version: int
    errors: Any
    suppressed: tuple[str, ...]
    cells: tuple[Cell, ...]


# A state can have megabytes: only the values that the step wrote are returned, each cut to a length.
# The condition on tstmp excludes the partitions of earlier months.
_STEPS = """
select t.wid, t.seq, t.tstmp as at, t.trw as written_by, t.trf as fired, t.status::text as status, t.job_id,
       t.cause_seq, t.replays_seq, t.actor, t.reason, t.version, t.errors, t.before is null as initial,
       array(select g.trname from wedsql.trig g
             where g.tgid = any(t.suppressed) order by g.tgid) as suppressed,
       (select jsonb_agg(jsonb_build_array(c.key, left(t.before ->> c.key, %(chars)s),
                                           left(t.state ->> c.key, %(chars)s)))
        from jsonb_object_keys(coalesce(t.before, jsonb_strip_nulls(t.state))) as c(key)) as cells
from wedsql.wed_trace t
where t.wid = %(wid)s and t.tstmp >= %(since)s::timestamptz - interval '1 day' and {bound}
order by t.seq {direction} limit %(limit)s
"""
_NEWEST_FIRST = {
    "after": _STEPS.format(bound="t.seq > %(key)s", direction="asc"),
    "before": _STEPS.format(bound="t.seq < %(key)s", direction="desc"),
    "top": _STEPS.format(bound="true", direction="desc"),
}
_OLDEST_FIRST = {
    "after": _STEPS.format(bound="t.seq < %(key)s", direction="desc"),
    "before": _STEPS.format(bound="t.seq > %(key)s", direction="asc"),
    "top": _STEPS.format(bound="true", direction="asc"),
}


def steps(wid: int, since: datetime, cursor: Cursor, *, oldest_first: bool = False) -> Page[Step]:
    """Return one page of the trace in display order; `before` pages down, `after` pages up.

    `since` is the time when the instance started.
    """
    way = "after" if cursor.after is not None else "before" if cursor.before is not None else "top"
    params = {
        "wid": wid,
        "since": since,
        "key": cursor.after if way == "after" else cursor.before,
        "chars": CELL_CHARS,
        "limit": cursor.size + 1,
    }
    found = rows((_OLDEST_FIRST if oldest_first else _NEWEST_FIRST)[way], params)
    return cut([_step(r) for r in found], cursor, lambda step: step.seq)


_ONE = _STEPS.format(bound="t.seq = %(key)s", direction="asc")


def step(wid: int, since: datetime, seq: int) -> Step | None:
    """Return one step of the trace, or None."""
    found = rows(_ONE, {"wid": wid, "since": since, "key": seq, "chars": CELL_CHARS, "limit": 1})
    return _step(found[0]) if found else None


def _step(r: Row) -> Step:
    initial = r.pop("initial")
    cells = tuple(Cell(name, before, after, initial) for name, before, after in r.pop("cells") or ())
    fired, suppressed = tuple(r.pop("fired")), tuple(r.pop("suppressed"))
    return Step(**r, fired=fired, suppressed=suppressed, cells=cells)


_RAW = """
select seq, tstmp, trw, trf, status, job_id, tgid, fired, before, state, cause_seq, actor, reason, version,
       errors
from (
  select t.seq, t.tstmp, t.trw, t.trf, t.status::text as status, t.job_id, t.tgid, t.fired, t.before, t.state,
         t.cause_seq, t.actor, t.reason, t.version, t.errors,
         sum(pg_column_size(t.state)) over (order by t.seq) - pg_column_size(t.state) as bytes_before
  from wedsql.wed_trace t
  where t.wid = %(wid)s and t.tstmp >= %(since)s::timestamptz - interval '1 day' and t.seq > %(after)s
  order by t.seq limit %(limit)s
) as sample
where bytes_before < %(bytes)s
order by seq
"""


def raw(wid: int, since: datetime, after: int = -1, size: int = 100) -> list[Row]:
    """Return whole trace rows in order after `after`: at most `size`, and about RAW_BYTES of states."""
    return rows(_RAW, {"wid": wid, "since": since, "after": after, "limit": size, "bytes": RAW_BYTES})
