"""What an operation on many instances would be about: the numbers of a filter, by flow and status."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from psycopg import sql

from flows.capabilities.bulk.api import digest, digest_at
from flows.filters import Filter
from flows.queries.base import rows, snapshot
from flows.queries.everywhere import Selection, parts, selection

# The kernel performs one operation on at most as many.
MOST = 100_000
SAMPLE = 10
TIMEOUT_MS = 20_000


@dataclass(frozen=True)
class Group:
    """How many of the instances are of one flow and status, with some of them.

    `parked` is how many have a parked job, `pending` how many any job of a transition.
    """

    flow: str
    status: str
    count: int
    wids: tuple[int, ...]
    parked: int = 0
    pending: int = 0


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

    `statuses` are those that they may have. `needs`: they also have a job that is "pending" or "parked"; ""
    needs none.
    """

    statuses: str
    needs: Literal["", "pending", "parked"] = ""

    def count(self, found: Chosen) -> int:
        """Return to how many of the instances it applies."""
        if self.needs:
            groups = (each for each in found.groups if each.status in self.statuses)
            return sum(each.parked if self.needs == "parked" else each.pending for each in groups)
        return found.applies(self.statuses)

    def among(self, found: Chosen, transition: str = "") -> frozenset[int]:
        """Return those to which it applies; where it needs a job, those with one of `transition`."""
        return fitting(found, self.statuses, self.needs, transition)


APPLICABLE: dict[str, Applicable] = {
    "suspend": Applicable("RE"), "resume": Applicable("S"), "rematch": Applicable("RE"),
    "retry": Applicable("RE", "parked"), "priority": Applicable("RE", "pending"),
    "reassign": Applicable("RE", "pending"), "cancel": Applicable("RES"),
    "patch": Applicable("E"), "accept": Applicable("E"), "complete": Applicable("RE", "pending"),
    "skip": Applicable("RE", "pending"), "rollback": Applicable("RE"), "abort": Applicable("RE"),
}  # fmt: skip


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


def selected(found: Selection) -> Chosen:
    """Return what the filter selects now.

    Raises django.db.OperationalError (57014) if that takes longer than TIMEOUT_MS, and
    django.db.DataError if PostgreSQL rejects a value.
    """
    source, params = parts(found, sql.SQL("true"), [], sql.SQL("order by i.wid limit %s"), [MOST + 1])
    statement = sql.SQL(
        "select n.name as flow, s.status, count(*) as n, array_agg(s.wid order by s.wid desc) as wids,"
        " array_agg(s.seq order by s.wid desc) as seqs,"
        " count(*) filter (where j.parked) as parked, count(j.parked) as pending"
        " from (select i.wid, i.flow_id, i.seq, i.status::text as status from {} limit %s) s"
        " join wedsql.flow n on n.id = s.flow_id left join lateral (select bool_or(p.state = 'K') as parked"
        " from wedsql.job_pool p where p.wid = s.wid and p.tgid > 0) j on s.status in ('R', 'E')"
        " group by n.name, s.status order by n.name, s.status"
    ).format(source)
    with snapshot(TIMEOUT_MS):
        read = rows(statement, [*params, MOST + 1])
    groups = tuple(
        Group(r["flow"], r["status"], r["n"], tuple(r["wids"][:SAMPLE]), r["parked"], r["pending"])
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


def fitting(found: Chosen, statuses: str, jobs: str = "", transition: str = "") -> frozenset[int]:
    """Return those of the instances that have one of these statuses and what an operation needs.

    `jobs`: "pending" is an open job of a transition, of this one if it is given, "parked" a parked one.
    """
    statement = (
        "select i.wid from wedsql.instance i"
        " where i.wid = any (%(wids)s) and i.status::text = any (%(statuses)s)"
        " and (%(jobs)s = '' or exists (select 1 from wedsql.job_pool j where j.wid = i.wid and j.tgid > 0"
        " and %(transition)s in ('', j.trname) and (%(jobs)s <> 'parked' or j.state = 'K')))"
    )
    given = {"wids": list(found.wids), "statuses": list(statuses), "jobs": jobs, "transition": transition}
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
