"""Histories of instances for process mining: cases with the steps of their transitions, read in batches.

A step is one that a job has written, as in the analysis of a flow. Values of attributes are left out: they
may be masked or hidden.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flows.filters.history import STEP
from flows.queries.base import rows, snapshot

BATCH = 200
MOST_CASES = 100_000
TIMEOUT_MS = 20_000


@dataclass(frozen=True)
class Step:
    """A transition whose result was committed, at a time, by a person or a worker."""

    seq: int
    at: datetime
    transition: str
    actor: str


@dataclass(frozen=True)
class Case:
    """An instance with its steps; `parent` is the instance whose job has started it."""

    wid: int
    flow: str
    status: str
    started_at: datetime
    finished_at: datetime | None
    parent: int | None = None
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Wanted:
    """The instances of a flow that started from `since` to `until`, or with `final` became final then."""

    flow_id: int
    since: datetime
    until: datetime
    final: bool = False

    @property
    def where(self) -> str:
        """Return the condition on instances."""
        column = "finished_at" if self.final else "started_at"
        status = "i.status = 'F' and " if self.final else ""
        return f"i.flow_id = %(flow)s and {status}i.{column} >= %(since)s and i.{column} < %(until)s"

    @property
    def order(self) -> str:
        """Return the expression by which an index orders instances."""
        return "i.finished_at, i.wid" if self.final else "i.wid"

    @property
    def params(self) -> dict[str, Any]:
        """Return the values of the condition."""
        return {"flow": self.flow_id, "since": self.since, "until": self.until}


_COLUMNS = (
    "i.wid, f.name as flow, i.status::text as status, i.started_at, i.finished_at, i.parent_wid as parent"
)
_BELOW = f"""
select {_COLUMNS} from wedsql.descendants(%(wids)s) b
join wedsql.instance i on i.wid = b.wid join wedsql.flow f on f.id = i.flow_id
where i.started_at < %(at)s and (%(flows)s::text[] is null or f.name = any (%(flows)s)) order by i.wid
"""  # noqa: S608 - constants of this program
_STEPS = f"""
select t.wid, t.seq, t.tstmp as at, t.trw as transition, t.actor
from wedsql.instance i join wedsql.wed_trace t on {STEP}
where i.wid = any (%(wids)s) and t.tstmp < %(at)s order by t.wid, t.seq
"""  # noqa: S608 - constants of this program


def count(wanted: Wanted) -> int:
    """Return how many instances are wanted, at most one more than MOST_CASES."""
    # Constants of this program.
    limited = f"select from wedsql.instance i where {wanted.where} limit {MOST_CASES + 1}"
    statement = f"select count(*) as n from ({limited}) i"  # noqa: S608
    return int(rows(statement, wanted.params)[0]["n"])


@dataclass(frozen=True)
class Children:
    """That children are read with their parents: of flows with these names, None for all."""

    flows: Collection[str] | None = None


def cases(
    wanted: Wanted, at: datetime, children: Children | None = None, *, steps: bool = True
) -> Iterator[Case]:  # fmt: skip
    """Yield the instances with their steps before a moment, so that a second reading is the same.

    children: whether the instances that their jobs have started are read, and those of these. steps: whether
    they have their steps. Each batch is a transaction of its own.
    """
    last: tuple[Any, ...] = ()
    while True:
        with snapshot(TIMEOUT_MS):
            found = _batch(wanted, last)
            roots = [each["wid"] for each in found]
            inner = _below(roots, children, at) if children is not None and roots else []
            known = _steps([*roots, *(each["wid"] for each in inner)], at) if steps and roots else {}
        for each in (*found, *inner):
            yield Case(**each, steps=known.get(each["wid"], ()))
        if len(found) < BATCH:
            return
        last = (found[-1]["finished_at"], roots[-1]) if wanted.final else (roots[-1],)


def _batch(wanted: Wanted, last: Sequence[Any]) -> list[dict[str, Any]]:
    after = ""
    if last:
        after = " and (i.finished_at, i.wid) > (%(at)s, %(wid)s)" if wanted.final else " and i.wid > %(wid)s"
    read = f"select {_COLUMNS} from wedsql.instance i join wedsql.flow f on f.id = i.flow_id"  # noqa: S608
    statement = f"{read} where {wanted.where}{after} order by {wanted.order} limit {BATCH}"
    return rows(statement, wanted.params | ({"at": last[0], "wid": last[-1]} if last else {}))


def _below(roots: list[int], children: Children, at: datetime) -> list[dict[str, Any]]:
    flows = None if children.flows is None else [*children.flows]
    return rows(_BELOW, {"wids": roots, "flows": flows, "at": at})


def _steps(wids: list[int], at: datetime) -> dict[int, tuple[Step, ...]]:
    found: dict[int, list[Step]] = defaultdict(list)
    for each in rows(_STEPS, {"wids": wids, "at": at}):
        found[each.pop("wid")].append(Step(**each))
    return {wid: (*steps,) for wid, steps in found.items()}
