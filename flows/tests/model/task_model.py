"""What persons were answered about tasks, and what follows from it: the model of their states.

A task's state follows from its job and from what was acknowledged: suspended and parked jobs are held back,
and those that a worker leased before people performed them; another leased job is held by the person whose
call was answered so, with the claim in the answer; the rest is open. Only the audience of a task, and who is
excluded, are read from its row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from flows.tests.model import predicates

KEYS: dict[str, list[str]] = {
    "ana": ["r:Clerk", "f:m_two"],
    "bob": ["r:Clerk", "r:Boss"],
    "eva": ["r:Boss", "f:m_one"],
}
# Who leases jobs for workers in the other rules.
LESSEES = {"model", "other", "one", "another"}
# Tasks of these flows with their jobs, and with what their triggers say.
QUERY = """
    select t.job_id, t.wid, f.name as flow, t.state, t.owner, t.audience, t.excluded, t.given_by,
      t.ended_at is not null as ended, j.state as job, j.claim, j.lckid, g.cpred, g.revalidate, g.offline,
      g.sets_when_taken, coalesce(g.outcomes, '{}') as outcomes, s.responsible,
      exists (select from wedsql.wed_trace h where h.wid = t.wid and h.job_id = t.job_id) as has_result,
      exists (select from wedsql.task_draft d where d.job_id = t.job_id) as draft,
      exists (select from wedsql._sharers(j) o
              where o.state = 'L' or wedsql._holder(o.wid, o.tgid) is not null) as shared
    from wedsql.task t join wedsql.flow f on f.id = t.flow_id left join wedsql.trig g on g.tgid = t.tgid
    left join wedsql.job_pool j on j.wid = t.wid and j.id = t.job_id
    left join lateral wedsql._settings_of(t.wid) s on true
    where f.name = any (%s)"""


@dataclass(frozen=True)
class TaskRow:
    """A task as the tables have it; `job` is the state of its job, None when it is gone.

    `shared` is whether another job has its lock or its exclusion group.
    """

    job_id: int
    wid: int
    flow: str
    state: str
    owner: str | None
    audience: str
    excluded: Sequence[str]
    given_by: str | None
    ended: bool
    job: str | None
    claim: int | None
    lckid: str | None
    cpred: str | None
    revalidate: str | None
    offline: bool | None
    sets_when_taken: str | None
    outcomes: Sequence[str]
    responsible: str | None
    has_result: bool
    draft: bool
    shared: bool

    @property
    def by_worker(self) -> bool:
        """Return whether a worker has the job, which it leased before people performed it."""
        return self.job == "L" and self.owner is None and self.lckid in LESSEES

    @property
    def withheld(self) -> bool:
        """Return whether no person may take the task for now, or any more."""
        return self.job is None or self.job in "SK" or self.by_worker

    def outcome(self, name: str | None) -> str | None:
        """Return what an outcome sets, "" for nothing; None if the task has no such outcome."""
        lines = {line.partition(":")[0].strip(): line.partition(":")[2].strip() for line in self.outcomes}
        if name in (None, "SUCCEEDED") and not lines.keys() - {"FAILED"}:
            return ""
        return lines.get(name or "")


@dataclass(frozen=True)
class Holding:
    """A person's hold of a task, as acknowledged; `aside` is when it comes back, in the machine's minutes."""

    wid: int
    owner: str
    how: str
    claim: int
    aside: int | None = None

    @property
    def as_stored(self) -> tuple[str, str, str, int]:
        """Return what the tables say of it: the state of the task, its owner, who has the job, the claim."""
        return self.how, self.owner, self.owner, self.claim


@dataclass
class TaskModel:
    """The acknowledged holdings; `lost` has from whom each task went to the responsible person."""

    holdings: dict[int, Holding] = field(default_factory=dict)
    lost: dict[int, set[str]] = field(default_factory=dict)
    done: dict[int, tuple[str, str, int | None]] = field(default_factory=dict)
    absences: list[tuple[str, str, int]] = field(default_factory=list)

    def follow(self, rows: Sequence[TaskRow]) -> Iterator[tuple[str, object]]:
        """Drop holdings that ended with their jobs, and yield each task that is not what the model says."""
        known = {row.job_id: row for row in rows}
        for gone in self.holdings.keys() - known.keys():
            del self.holdings[gone]
        for row in rows:
            if row.job != "L" or row.by_worker:
                self.holdings.pop(row.job_id, None)
            else:
                self._transfer(row)
            yield from self._differences(row)

    def _transfer(self, row: TaskRow) -> None:
        """Note that the kernel gave a task to the person responsible for its instance."""
        held = self.holdings.get(row.job_id)
        new = row.claim is not None and (held is None or held.claim != row.claim)
        if new and row.given_by == "kernel" and row.owner == row.responsible and row.owner:
            if held is not None:
                self.lost.setdefault(row.job_id, set()).add(held.owner)
            self.holdings[row.job_id] = Holding(row.wid, row.owner, "S", row.claim or 0)

    def _differences(self, row: TaskRow) -> Iterator[tuple[str, object]]:
        held = self.holdings.get(row.job_id)
        if row.job is None:
            if not row.ended or (row.state in "DF") is not row.has_result:
                yield "a task of a job that is gone", row
        elif row.ended:
            yield "an ended task with a job", row
        elif row.job == "L" and held is None and not row.by_worker:
            yield "a task that no person was given", row
        elif held and (row.state, row.owner, row.lckid, row.claim) != held.as_stored:
            yield "not what the person was answered", (held, row)
        elif not held and (row.state, row.owner) != ("H" if row.withheld else "R", None):
            yield "not what its job says", row
        if row.draft and row.ended:
            yield "a draft of an ended task", row

    # -- predicted answers
    def keys(self, person: str, minutes: int) -> list[str]:
        """Return the audiences of a person: those of the site, the person, and those substituted now."""
        away = [who for who, substitute, until in self.absences if substitute == person and until > minutes]
        return [*KEYS[person], *(f"p:{who}" for who in (person, *away))]

    def substitutes(self, person: str, minutes: int) -> set[str]:
        """Return who has the tasks of a person whose absences, and those of others, last at least so long."""
        found, there = set[str](), {person}
        while there:
            found |= there
            there = {who for away, who, until in self.absences if away in there and until >= minutes} - found
        return found - {person}

    def own_list(self, person: str, aside: bool, minutes: int) -> set[int]:
        """Return the tasks that a person has: those put aside until later, or the others."""
        held = [(job, one.aside) for job, one in self.holdings.items() if one.owner == person]
        return {job for job, until in held if aside is (until is not None and until > minutes)}

    def may_take(self, row: TaskRow, person: str, minutes: int) -> bool:
        """Return whether an open task is among those that a person may take."""
        return row.audience in self.keys(person, minutes) and person not in row.excluded

    def taken(self, row: TaskRow | None, person: str, lock: bool, minutes: int, state: Any) -> set[str]:
        """Return the errors with which a person may not take a task, "" for taking it."""
        if row is None:
            return {"WD590"}
        held = self.holdings.get(row.job_id)
        if row.withheld:
            return {"WD593"}
        if held and held.owner != person:
            return {"WD592"}
        stale = not held and row.revalidate == "at_take" and not _surely(row.cpred, state)
        if not held and not self.may_take(row, person, minutes):
            return {"WD591", "WD593"} if stale else {"WD591"}
        if (lock and not row.offline) or (row.shared and not held):
            return {"WD593"}
        writes = {"WD211", "WD106", "WD103", "WD210"} if row.sets_when_taken and not held else set()
        return {"", *writes} | ({"WD593"} if stale else set())

    def own(self, row: TaskRow | None, person: str, claim: int | None = None) -> str:
        """Return the error of a person who does not hold a task, with this claim; "" for the holder."""
        if row is None:
            return "WD590"
        held = self.holdings.get(row.job_id)
        owner = held.owner if held else None
        if person in self.lost.get(row.job_id, ()) and owner != person and row.state != "W":
            return "WD598"
        if held is None:
            return "WD593"
        if owner != person:
            return "WD592"
        return "WD593" if claim is not None and claim != held.claim else ""

    def forced(self, row: TaskRow | None) -> str:
        """Return the error of a supervisor, who needs no holding."""
        if row is None:
            return "WD590"
        return "WD593" if row.withheld else ""

    def change(self, job: int, **changes: Any) -> None:
        """Change an acknowledged holding."""
        self.holdings[job] = replace(self.holdings[job], **changes)


def _surely(predicate: str | None, state: Any) -> bool:
    """Return whether a condition holds."""
    try:
        return predicate is not None and predicates.holds(predicate, state or {})
    except predicates.Fails:
        return False
