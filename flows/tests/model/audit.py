"""An independent check of the tables: what must be true after every call, computed in Python.

It shares only the tables with `wedsql.invariants()`: conditions are evaluated by `predicates`, histories are
folded here, and pending work is determined from the rows themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from flows.tests.model import facts, predicates
from flows.tests.model.facts import Facts, Row

LIVE = ("P", "L")
TIMES = {"d", "e", "i", "x"}  # attributes whose type never changes


@dataclass(frozen=True)
class Finding:
    """A violation: a kind, for counting, and the case."""

    kind: str
    case: str


def findings(now: Facts) -> Iterator[Finding]:
    """Yield every violation in these tables."""
    for wid, instance in now.instances.items():
        judge = _Judge(now, wid, instance)
        yield from judge.findings()
    for trigger in now.triggers.values():
        if trigger["tgid"] <= 0:
            yield Finding("chosen number", f"trigger {trigger['tgid']}")
    for attribute in now.attributes:
        if attribute["aid"] <= 0:
            yield Finding("chosen number", f"attribute {attribute['aid']}")
    for wid in [*now.jobs, *now.timers]:
        if wid not in now.instances:
            yield Finding("work of nothing", f"instance {wid} is gone and has work")


class _Judge:
    """One instance with all its rows."""

    def __init__(self, now: Facts, wid: int, instance: Row) -> None:
        self.now = now
        self.wid = wid
        self.instance = instance
        self.status = instance["status"]
        self.jobs = now.jobs.get(wid, [])
        self.timers = now.timers.get(wid, [])
        self.trace = now.trace.get(wid, [])
        self.state = now.states.get(wid)
        self.live = {job["tgid"] for job in self.jobs if job["tgid"] > 0 and job["state"] in LIVE}
        self.left = now.is_left(instance)
        self.parked = {job["tgid"] for job in self.jobs if job["state"] == "K"}

    def findings(self) -> Iterator[Finding]:
        for kind, case in self._all():
            yield Finding(kind, f"instance {self.wid} ({self.status}): {case}")

    def _all(self) -> Iterator[tuple[str, str]]:
        if self.state is None:
            yield "no state", "it has no row in wed_flow"
            return
        yield from self._pending()
        yield from self._exception()
        if not self.left and self.status != "S":
            yield from self._waiting()
        yield from self._jobs()
        yield from self._history()
        if self.status == "R" and not self.left:
            yield from self._matching()

    def _pending(self) -> Iterator[tuple[str, str]]:
        """Check that jobs and timers match the status."""
        timers = [timer for timer in self.timers if self.left or self._stale(timer) is None]
        if self.status == "R" and not self.live and not timers:
            yield "lost", f"running without a job or a timer that can fire; timers {self.timers}"
        if self.status not in "RES" and (self.jobs or self.timers):
            yield "work on ended", f"jobs {self.jobs}, timers {self.timers}"

    def _exception(self) -> Iterator[tuple[str, str]]:
        """Check that an instance has an _EXCPT job if and only if it is an exception."""
        stands = any(job["tgid"] == 0 for job in self.jobs)
        if stands and self.status not in "ES":
            yield "ghost exception", "it has an _EXCPT job"
        if self.parked and self.status not in "ES":
            yield "ghost parked", f"parked jobs {self.parked}"
        if self.status == "E" and not stands:
            yield "unserved exception", "no _EXCPT job stands for it"
        withdrawn = self.instance["reason"] == "WITHDRAWN"  # a person said so
        if self.status == "E" and not (self.parked or withdrawn) and (self.live or self.timers):
            yield "false exception", f"jobs {self.live} and timers {self.timers} are pending, none is parked"

    def _waiting(self) -> Iterator[tuple[str, str]]:
        """Check that each timer's condition holds, and that it is due as its trigger defines."""
        for timer in self.timers:
            why = self._stale(timer)
            if why:
                yield f"stale timer: {why}", str(timer)
            else:
                yield from self._moved(timer)

    def _stale(self, timer: Row) -> str | None:
        trigger = self.now.triggers.get(timer["tgid"])
        if trigger is None or not trigger["enabled"]:
            return "no trigger"
        if trigger["due_attr"] is None and trigger["due_after"] is None:
            return "no due time"
        if trigger["due_attr"] is not None and (self.state or {}).get(trigger["due_attr"]) is None:
            return "due attribute is null"
        if trigger["fire_once"] and any(trigger["tgid"] in row["fired"] for row in self.trace):
            return "it fired its only time"
        return None if self._holds(trigger) else "condition does not hold"

    def _moved(self, timer: Row) -> Iterator[tuple[str, str]]:
        trigger = self.now.triggers[timer["tgid"]]
        if trigger["due_attr"] is None or float(trigger["due_seconds"] or 0) > 1e9:
            return
        value = (self.state or {})[trigger["due_attr"]]
        due = facts.moment(value) + timedelta(seconds=float(trigger["due_seconds"] or 0))
        if abs((facts.moment(timer["due_at"]) - due).total_seconds()) > 0.001:
            yield "moved timer", f"{trigger['due_attr']} is {value}, the timer says {timer['due_at']}"

    def _jobs(self) -> Iterator[tuple[str, str]]:
        for job in self.jobs:
            trigger = self.now.triggers.get(job["tgid"])
            if job["flow_id"] != self.instance["flow_id"]:
                yield "job of another flow", str(job)
            if job["tgid"] != 0 and trigger is None:
                yield "job without trigger", str(job)
            elif trigger and job["trname"] != trigger["trname"] and job["state"] != "L":
                yield "stranded job", f"offered as {job['trname']}, its trigger says {trigger['trname']}"
            if job["state"] in (LIVE if self.status == "S" else "S"):
                yield "half suspended", str(job)
            if (job["state"] == "L") != (job["claim"] is not None):
                yield "half a lease", str(job)

    def _history(self) -> Iterator[tuple[str, str]]:
        """Check the history: no gaps, each row follows from the one before, the last is the present state."""
        if [row["seq"] for row in self.trace] != list(range(1, self.instance["seq"] + 1)):
            yield "gap in history", f"{[row['seq'] for row in self.trace]} of {self.instance['seq']}"
            return
        for before, after in zip(self.trace, self.trace[1:], strict=False):
            if not _follows(before, after):
                yield "broken history", f"{before['state']} -> {after['before']} {after['state']}"
        last = self.trace[-1]
        if last["status"] != self.status:
            yield "status differs from history", f"{last['status']} in row {last['seq']}"
        if self.status in "RES" and self._differs(last):
            yield "state differs from history", f"{last['state']} in the history, {self.state} in the table"

    def _differs(self, last: Row) -> bool:
        """Return whether the state is not that of the last step.

        A suspended instance follows a new definition, with attributes of other names, when it is resumed.
        """
        version = self.now.flows[self.instance["flow_id"]]["version"]
        return last["state"] != self.state and (self.status != "S" or last["version"] == version)

    def _matching(self) -> Iterator[tuple[str, str]]:
        """Check that every condition that holds has its job or its timer."""
        holding = [t for t in self.now.triggers_of(self.instance["flow_id"]) if self._holds(t)]
        final = [
            trigger["tgid"] for trigger in holding if trigger["cfinal"] and not self._comes_later(trigger)
        ]
        if final:
            if not self.live and not any(timer["tgid"] in final for timer in self.timers):
                yield "final not reached", "its final condition holds and nothing is pending"
            return
        waiting = {timer["tgid"] for timer in self.timers} | self.live | self.parked
        for trigger in holding:
            if trigger["tgid"] not in waiting and not self._excused(trigger):
                yield "condition without job", f"{trigger['trname']}: {trigger['cpred']} on {self.state}"

    def _comes_later(self, trigger: Row) -> bool:
        """Return whether the trigger waits for its due time, or has none because its attribute is null."""
        empty = trigger["due_attr"] is not None and (self.state or {}).get(trigger["due_attr"]) is None
        later = [t for t in self.timers if facts.moment(t["due_at"]) > self.now.now]
        return empty or any(timer["tgid"] == trigger["tgid"] for timer in later)

    def _excused(self, trigger: Row) -> bool:
        if trigger["fire_once"] and any(trigger["tgid"] in row["fired"] for row in self.trace):
            return True
        return trigger["due_attr"] is not None and (self.state or {}).get(trigger["due_attr"]) is None

    def _holds(self, trigger: Row) -> bool:
        try:
            return predicates.holds(trigger["cpred"], self.state or {})
        except predicates.Fails:
            return False


def _follows(before: Row, after: Row) -> bool:
    """Return whether a row of a history is the next step after the row before it."""
    if after["before"] is None or after["trw"] == "_REMATCH":  # a changed definition may change numbers
        kept = TIMES & before["state"].keys() & after["state"].keys()
        return all(before["state"][name] == after["state"][name] for name in kept)
    written: dict[str, Any] = after["before"]
    others = {k: v for k, v in before["state"].items() if k not in written}
    return all(before["state"].get(k) == v for k, v in written.items()) and others == {
        k: v for k, v in after["state"].items() if k not in written
    }
