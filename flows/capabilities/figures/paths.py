"""Paths of the instances of a sample, up to the order of parallel transitions.

Two transitions are parallel in a sample if their jobs were pending at the same time in one of its instances,
and in none a step of one fired the other. Paths are alike if one becomes the other by exchanging neighbours
that are parallel.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from flows.capabilities.figures.analysis import Following, Sample
from flows.filters.history import PATH, STEP
from flows.queries.base import rows

Pair = frozenset[str]


@dataclass(frozen=True)
class Order:
    """One order of the transitions of a path: its text, as filters have it, and the number of instances."""

    text: str
    count: int

    @property
    def transitions(self) -> list[str]:
        return names_of(self.text)


@dataclass(frozen=True)
class Path:
    """A path with its instances: their share of the sample, times in seconds, and its orders, the most
    frequent first."""

    orders: tuple[Order, ...]
    share: float
    p50: float
    p95: float

    @property
    def count(self) -> int:
        return sum(each.count for each in self.orders)

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(each.text for each in self.orders)


def names_of(text: str) -> list[str]:
    """Return the transitions of a path."""
    return text.split(" > ") if text else []


_ORDERS = f"""
select p.path, array_agg(p.took order by p.took) as took
from (select {PATH} as path, extract(epoch from i.finished_at - i.started_at)::double precision as took
      from wedsql.instance i where i.wid = any (%(wids)s)) p
group by p.path
"""  # noqa: S608 - constants of this program


def paths(found: Sample, parallel: Collection[Pair]) -> list[Path]:
    """Return the paths of a sample, the most frequent first."""
    alike: dict[object, list[tuple[Order, list[float]]]] = defaultdict(list)
    for each in rows(_ORDERS, {"wids": found.wids}):
        order = Order(each["path"], len(each["took"]))
        alike[normal_form(order.transitions, parallel)].append((order, each["took"]))
    every = len(found.wids) or 1
    read = [_path(each, every) for each in alike.values()]
    return sorted(read, key=lambda path: (-path.count, path.texts))


def _path(alike: Iterable[tuple[Order, list[float]]], every: int) -> Path:
    ordered = sorted(alike, key=lambda each: (-each[0].count, each[0].text))
    took = sorted(chain.from_iterable(times for _order, times in ordered))
    orders = tuple(order for order, _times in ordered)
    return Path(orders, len(took) / every, _percentile(took, 0.5), _percentile(took, 0.95))


def _percentile(values: Sequence[float], part: float) -> float:
    """Return the percentile as PostgreSQL's percentile_cont does."""
    place = (len(values) - 1) * part
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (place - low)


# The steps between the firing of a job and its own step were taken while it was pending. "offset 0": read by
# the index for each step, as a join of all steps of an instance with many would be too much.
_TOGETHER = f"""
select distinct b.trw as one, t.trw as other
from wedsql.instance i join wedsql.wed_trace t on {STEP}
cross join lateral (
  select p.trw from wedsql.wed_trace p
  where p.wid = t.wid and p.seq > t.cause_seq and p.seq < t.seq
    and p.tstmp >= i.started_at - interval '1 day'
    and p.job_id is not null and left(p.trw, 1) <> '_' and p.trw <> t.trw
  offset 0) b
where i.wid = any (%(wids)s)
"""  # noqa: S608 - constants of this program


def parallel_pairs(found: Sample, following: Iterable[Following]) -> set[Pair]:
    """Return the pairs of parallel transitions; `following` are the pairs of which one fired the other."""
    together = {frozenset((r["one"], r["other"])) for r in rows(_TOGETHER, {"wids": found.wids})}
    return together - {frozenset((each.source, each.target)) for each in following if each.count}


def normal_form(steps: Iterable[str], parallel: Collection[Pair]) -> tuple[tuple[int, str], ...]:
    """Return the normal form of a sequence: the same for those to which exchanges of neighbours lead.

    Each step has the first level behind all earlier ones with which it may not be exchanged (Foata).
    """
    last: dict[str, int] = {}
    found = []
    for step in steps:
        behind = (n for name, n in last.items() if frozenset((name, step)) not in parallel)
        last[step] = 1 + max(behind, default=0)
        found.append((last[step], step))
    return tuple(sorted(found))
