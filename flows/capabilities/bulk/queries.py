"""What an operation on many instances would be about: the numbers of a filter, by flow and status."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, cast

from psycopg import sql

from flows.capabilities.bulk.api import digest, digest_at
from flows.capabilities.recovery.api import operation_table
from flows.filters import Filter
from flows.queries.base import rows, snapshot
from flows.queries.everywhere import Selection, parts, selection

# The kernel performs one operation on at most as many.
MOST = 100_000
SAMPLE = 10
TIMEOUT_MS = 20_000
Needs: TypeAlias = Literal["", "pending", "parked", "free", "assignable", "unheld", "undoable"]
# Whether jobs `p`, all of an instance or those of one transition, are what an operation needs. Nothing is
# done with a job that is held, and no worker gets those of children and people, which are assigned to ''.
_HAVE: dict[str, str] = {
    "pending": "count(*) > 0",
    "parked": "bool_or(p.state = 'K')",
    "free": "bool_or(p.state <> 'L')",
    "assignable": "bool_and(p.state <> 'L') filter (where p.assigned_to is distinct from '')",
    "unheld": "coalesce(bool_and(p.state <> 'L'), true)",
    "undoable": "coalesce(bool_and(p.state <> 'L'), true) and i.seq > 1",
}


@dataclass(frozen=True)
class Group:
    """How many of the instances are of one flow and status, with some of them.

    `parked` is how many have a parked job, `pending` how many any job of a transition, `free` how many one
    that is not held, `assignable` how many one for workers, of which none is held; `unheld` how many have no
    job that is held, `undoable` how many of these have made a step.
    """

    flow: str
    status: str
    count: int
    wids: tuple[int, ...]
    parked: int = 0
    pending: int = 0
    free: int = 0
    assignable: int = 0
    unheld: int = 0
    undoable: int = 0


@dataclass(frozen=True)
class Chosen:
    """The instances that a filter selects, each at its step; too_many: there are more than MOST."""

    wids: tuple[int, ...]
    groups: tuple[Group, ...]
    too_many: bool = False
    seqs: Mapping[int, int] = field(default_factory=dict)

    @property
    def flows(self) -> list[str]:
        return sorted({each.flow for each in self.groups})

    @property
    def digest(self) -> str:
        return digest(self.wids)

    @property
    def digest_at(self) -> str:
        """The digest for a repair: other steps are other states."""
        return digest_at(self.seqs)

    def without(self, wids: Collection[int]) -> Chosen:
        """Return the others; the groups stay as they are."""
        left = {wid: seq for wid, seq in self.seqs.items() if wid not in wids}
        return Chosen(tuple(sorted(left)), self.groups, self.too_many, left)

    def applies(self, statuses: str) -> int:
        """Return how many instances have one of these statuses."""
        return sum(each.count for each in self.groups if each.status in statuses)


@dataclass(frozen=True)
class Applicable:
    """To which instances an operation applies: for all others it is certain to be refused.

    `statuses` are those that they may have. `needs`: they also have such a job (`Group`); "" needs none.
    """

    statuses: str
    needs: Needs = ""

    def count(self, found: Chosen) -> int:
        """Return to how many of the instances it applies."""
        if self.needs:
            groups = (each for each in found.groups if each.status in self.statuses)
            return sum(getattr(each, self.needs) for each in groups)
        return found.applies(self.statuses)

    def among(self, found: Chosen, transition: str = "") -> frozenset[int]:
        """Return those to which it applies; where it needs a job, those with one of `transition`."""
        return fitting(found, self.statuses, self.needs, transition)


def applicable(operation: str) -> Applicable:
    """Return to which instances an operation on many applies, as the kernel says."""
    found = operation_table()[operation]
    return Applicable(found.statuses, cast("Needs", found.jobs))


def over(chosen: Filter, names: Collection[str] | None) -> Selection:
    """Return a filter of one flow, or over the flows of these names (None: all). Raises BadFilter."""
    return Selection(chosen, [chosen.flow.id], [chosen]) if chosen.flow else selection(chosen, names)


def transitions(found: Chosen) -> list[str]:
    """Return the names of the transitions of the flows of these instances that have jobs."""
    statement = (
        "select distinct t.trname as name from wedsql.trig t join wedsql.flow f on f.id = t.flow_id"
        " where f.name = any (%s) and not t.cfinal and t.integrity is null and t.performer = 'worker'"
        " order by 1"
    )
    return [each["name"] for each in rows(statement, [found.flows])]


def selected(found: Selection, among: Collection[int] | None = None) -> Chosen:
    """Return the instances that the filter selects now, of those with the numbers `among` if they are given.

    Raises django.db.OperationalError (57014) if that takes longer than TIMEOUT_MS, and
    django.db.DataError if PostgreSQL rejects a value.
    """
    bound = ("true", []) if among is None else ("i.wid = any (%s)", [list(among)])
    source, params = parts(
        found, sql.SQL(bound[0]), list(bound[1]), sql.SQL("order by i.wid limit %s"), [MOST + 1]
    )
    statement = sql.SQL(
        "select n.name as flow, i.status, count(*) as n, array_agg(i.wid order by i.wid desc) as wids,"
        " array_agg(i.seq order by i.wid desc) as seqs, {}"
        " from (select i.wid, i.flow_id, i.seq, i.status::text as status from {} limit %s) i"
        " join wedsql.flow n on n.id = i.flow_id left join lateral (select {}"
        " from wedsql.job_pool p where p.wid = i.wid and p.tgid > 0) j on i.status in ('R', 'E', 'S', 'X')"
        " group by n.name, i.status order by n.name, i.status"
    ).format(
        sql.SQL(", ".join(f"count(*) filter (where j.{name}) as {name}" for name in _HAVE)),
        source,
        sql.SQL(", ".join(f"{have} as {name}" for name, have in _HAVE.items())),
    )
    with snapshot(TIMEOUT_MS):
        read = rows(statement, [*params, MOST + 1])
    groups = tuple(
        Group(r["flow"], r["status"], r["n"], tuple(r["wids"][:SAMPLE]), **{name: r[name] for name in _HAVE})
        for r in read
    )
    seqs = {wid: seq for r in read for wid, seq in zip(r["wids"], r["seqs"], strict=True)}
    return Chosen(tuple(sorted(seqs)), groups, len(seqs) > MOST, seqs)


def of_group(flow: str, cause: str = "", signature: str = "", queue: str = "") -> Chosen:
    """Return the instances of the open cases of a flow, with this cause, signature and queue if given."""
    return _named(
        "select wid, seq from wedsql.group_instances(%s, %s, %s, %s, %s)",
        [flow, cause, signature, queue, MOST],
    )


def of_bulk(bulk: int, flow: str, result: str) -> Chosen:
    """Return the instances of a flow that have this result in a bulk operation, at their present steps."""
    return _named(
        "select wid, seq from wedsql.bulk_instances(%s::bigint, %s, %s, %s)", [bulk, flow, result, MOST]
    )


def _named(statement: str, params: list[object]) -> Chosen:
    with snapshot(TIMEOUT_MS):
        seqs = {row["wid"]: row["seq"] for row in rows(statement, params)}
    return Chosen(tuple(seqs), (), False, seqs)


def fitting(found: Chosen, statuses: str, needs: Needs = "", transition: str = "") -> frozenset[int]:
    """Return those of the instances that have one of these statuses and the jobs that an operation needs.

    The jobs are those of `transition`, if it is given.
    """
    have = (
        sql.SQL(
            "(select {} from wedsql.job_pool p where p.wid = i.wid and p.tgid > 0"
            " and %(transition)s in ('', p.trname))"
        ).format(sql.SQL(_HAVE[needs]))
        if needs
        else sql.SQL("true")
    )
    statement = sql.SQL(
        "select i.wid from wedsql.instance i"
        " where i.wid = any (%(wids)s) and i.status::text = any (%(statuses)s) and {}"
    ).format(have)
    given = {"wids": list(found.wids), "statuses": list(statuses), "transition": transition}
    with snapshot(TIMEOUT_MS):
        return frozenset(each["wid"] for each in rows(statement, given))


def jobs_of(found: Chosen) -> list[tuple[str, int]]:
    """Return the transitions that have open jobs in these instances, each with how many of them have one."""
    statement = (
        "select j.trname as name, count(distinct j.wid) as n from wedsql.job_pool j"
        " where j.wid = any (%s) and j.tgid > 0 group by j.trname order by 2 desc, 1"
    )
    with snapshot(TIMEOUT_MS):
        return [(each["name"], each["n"]) for each in rows(statement, [list(found.wids)])]
