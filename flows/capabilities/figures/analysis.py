"""Analysis of a flow: a sample of the instances that became final in a window, and what they did.

The sample is the newest instances of the window with their whole history, at most NEWEST_INSTANCES of them
and about NEWEST_STEPS steps, so that the cost does not grow with the history.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from flows.filters.history import ATTEMPT, PATH, START, STEP
from flows.queries.base import rows
from flows.queries.graph import Rule, written

NEWEST_INSTANCES = 1_000
NEWEST_STEPS = 50_000
MOST_SLOW = 10


@dataclass(frozen=True)
class Ended:
    """One instance of the sample."""

    wid: int
    started_at: datetime
    finished_at: datetime

    @property
    def took(self) -> float:
        return (self.finished_at - self.started_at).total_seconds()


@dataclass(frozen=True)
class Sample:
    """The newest instances that became final from `since` to `until`, the newest first.

    With `cut` the window has more: the sample has those after the last one, by time and number.
    """

    since: datetime
    until: datetime
    instances: tuple[Ended, ...]
    cut: bool = False

    @property
    def wids(self) -> list[int]:
        return [each.wid for each in self.instances]

    @property
    def slowest(self) -> list[Ended]:
        """Return the instances that took longest."""
        return sorted(self.instances, key=lambda each: (-each.took, each.wid))[:MOST_SLOW]


_SAMPLE = """
select s.wid, s.started_at, s.finished_at, s.n, s.steps from (
  select i.*, row_number() over w as n, sum(i.seq) over w as steps
  from (select i.wid, i.seq, i.started_at, i.finished_at from wedsql.instance i
        where i.flow_id = %(flow)s and i.status = 'F'
          and i.finished_at >= %(since)s and i.finished_at < %(until)s
        order by i.finished_at desc, i.wid desc limit %(instances)s + 1) i
  window w as (order by i.finished_at desc, i.wid desc)) s
order by s.n
"""


def sample(flow_id: int, since: datetime, until: datetime) -> Sample:
    """Return the sample of a window; an instance with very many steps is in it only if it is the newest."""
    found = rows(_SAMPLE, {"flow": flow_id, "since": since, "until": until, "instances": NEWEST_INSTANCES})
    kept = [
        Ended(each["wid"], each["started_at"], each["finished_at"])
        for each in found
        if each["n"] == 1 or (each["n"] <= NEWEST_INSTANCES and each["steps"] <= NEWEST_STEPS)
    ]
    return Sample(since, until, tuple(kept), len(kept) < len(found))


_SHARES = f"""
select p.path, count(*) / sum(count(*)) over () as share
from (select {PATH} as path from wedsql.instance i where i.wid = any (%(wids)s)) p group by p.path
"""  # noqa: S608 - constants of this program


def shares(found: Sample) -> dict[str, float]:
    """Return the share of every path of a sample."""
    return {each["path"]: float(each["share"]) for each in rows(_SHARES, {"wids": found.wids})}


@dataclass(frozen=True)
class Redone:
    """A transition that instances performed more than once: how many did, and the most often."""

    transition: str
    count: int
    most: int


_REDONE = f"""
select r.trw as transition, count(*) as count, max(r.n) as most
from (select t.trw, count(*) as n from wedsql.instance i join wedsql.wed_trace t on {STEP}
      where i.wid = any (%(wids)s) group by t.wid, t.trw having count(*) > 1) r
group by 1 order by 2 desc, 1
"""  # noqa: S608 - constants of this program


def redone(found: Sample) -> list[Redone]:
    """Return the transitions that instances of a sample performed more than once, the most frequent first."""
    return [Redone(**each) for each in rows(_REDONE, {"wids": found.wids})]


@dataclass(frozen=True)
class Following:
    """One transition after another: in how many instances (`count`), and by which attributes it is declared.

    `declared` is None where the source does not declare what it writes, or is the start.
    """

    source: str
    target: str
    count: int
    declared: tuple[str, ...] | None = None

    @property
    def text(self) -> str:
        return f"{self.source} > {self.target}"


_FOLLOWING = f"""
select case when p.seq = 1 then %(start)s else p.trw end as source, t.trw as target,
       count(distinct t.wid) as count
from wedsql.instance i join wedsql.wed_trace t on {STEP}
join wedsql.wed_trace p on p.wid = t.wid and p.seq = t.cause_seq
  and p.tstmp >= i.started_at - interval '1 day'
where i.wid = any (%(wids)s) and (p.seq = 1 or p.job_id is not null and left(p.trw, 1) <> '_')
group by 1, 2
"""  # noqa: S608 - constants of this program


def following(found: Sample, rules: Sequence[Rule]) -> list[Following]:
    """Return pairs of steps that followed each other, the most frequent first, then declared ones."""
    counts = {
        (r["source"], r["target"]): r["count"] for r in rows(_FOLLOWING, {"wids": found.wids, "start": START})
    }
    declared = _declared(rules)
    sources = {source for source, _target in declared}
    pairs = [
        Following(source, target, n, declared.get((source, target), () if source in sources else None))
        for (source, target), n in counts.items()
    ]
    never = [
        Following(*ends, 0, attributes)
        for ends, attributes in declared.items()
        if attributes and ends not in counts
    ]
    return sorted([*pairs, *never], key=lambda each: (-each.count, each.source, each.target))


def _declared(rules: Sequence[Rule]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return by source and target the attributes that one declares to write and the other reads."""
    used = [rule for rule in rules if rule.enabled and not rule.final]
    found: dict[tuple[str, str], set[str]] = {}
    for source in used:
        for target in used if source.writes is not None else ():
            ends = (source.transition, target.transition)
            found.setdefault(ends, set()).update(written(source, target))
    return {ends: tuple(sorted(names)) for ends, names in found.items()}


@dataclass(frozen=True)
class Done:
    """A step of a transition, or a failed attempt; `took` in seconds from the firing of its job."""

    wid: int
    at: datetime
    seq: int | None = None
    took: float | None = None
    attempt: int | None = None
    message: str = ""


# A step in the window is one of an instance that lives, or that has ended since.
_STEPS = """
select t.wid, t.tstmp as at, t.seq, extract(epoch from t.tstmp - c.tstmp)::double precision as took
from (select i.wid, i.started_at from wedsql.instance i
      where i.flow_id = %(flow)s and i.finished_at >= %(since)s and i.started_at < %(until)s
      union all
      select i.wid, i.started_at from wedsql.instance i
      where i.flow_id = %(flow)s and i.status = any ('{R,E,S,X}') and i.finished_at is null
        and i.started_at < %(until)s) i
join wedsql.wed_trace t on t.wid = i.wid and t.tstmp >= %(since)s and t.tstmp < %(until)s
  and t.trw = %(transition)s and t.job_id is not null
left join wedsql.wed_trace c on c.wid = t.wid and c.seq = t.cause_seq
  and c.tstmp >= i.started_at - interval '1 day'
order by took desc nulls last, t.wid, t.seq limit %(limit)s offset %(offset)s
"""
_FAILURES = f"""
select l.wid, l.at, l.attempt, l.message from wedsql.job_log l
where l.flow_id = %(flow)s and l.trname = %(transition)s and l.at >= %(since)s and l.at < %(until)s
  and {ATTEMPT}
order by l.id desc limit %(limit)s offset %(offset)s
"""  # noqa: S608 - constants of this program
PAGE = 50


def done(
    flow_id: int, transition: str, since: datetime, until: datetime, number: int, *, failed: bool
) -> tuple[list[Done], bool]:
    """Return a page of the steps of a transition, the slowest first, or of its failures, the newest first.

    The second value says whether more follow.
    """
    values = {"flow": flow_id, "transition": transition, "since": since, "until": until}
    place = {"limit": PAGE + 1, "offset": (number - 1) * PAGE}
    found = rows(_FAILURES if failed else _STEPS, values | place)
    return [Done(**each) for each in found[:PAGE]], len(found) > PAGE
