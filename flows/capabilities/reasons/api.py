"""Explain why an instance is where it is, by the kernel's own evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flows.definition.option_labels import AttributeTitles
from flows.labels import rule_name
from flows.statements import value
from flows.types import Part
from flows.types.definitions import alternatives


@dataclass(frozen=True, slots=True)
class Write:
    """The step that wrote an attribute last, its time, and the transition and actor that wrote it."""

    seq: int
    at: datetime
    by: str
    actor: str


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A part of a condition that would have to change: `outline` as condition_outline returns it.

    `wanted` is the value that it needs: "t" or "f". `now` and `written` have each attribute that it reads.
    """

    text: str
    value: str
    wanted: str
    outline: Mapping[str, Any]
    now: Mapping[str, Any]
    written: Mapping[str, Write]


@dataclass(frozen=True, slots=True)
class RuleReason:
    """One rule on the state: `value` t true, f false, u unknown, e failed.

    `parts` are the parts of its condition by path, the whole first; `obstacles` the fewest of them that would
    have to change for it to hold; `due_at` the time for which it waits. `ways` are the obstacles of each
    alternative of its condition, these ones first.
    """

    id: int | None
    title: str
    transition: str
    final: bool
    integrity: str | None
    enabled: bool
    predicate: str
    value: str
    parts: Mapping[str, Part]
    obstacles: Sequence[Obstacle]
    pending: bool
    due_at: datetime | None
    ways: Sequence[Sequence[Obstacle]] = ()

    @property
    def holds(self) -> bool:
        return self.value == "t"

    @property
    def is_done(self) -> bool:
        """Return whether its own transition wrote what keeps it from holding."""
        return any(write.by == self.transition for one in self.obstacles for write in one.written.values())

    @property
    def violated(self) -> bool:
        """Return whether it is an integrity condition that the state violates."""
        return bool(self.integrity) and self.value in ("f", "e")


@dataclass(frozen=True, slots=True)
class JobReason:
    """An open job.

    `waits_for` is people, repair, suspended, held, lease, backoff, exclusion, lock,
    lock_queue, signal, children, database, assigned, no_assignee, no_worker, queue or worker.

    `facts` has what belongs to it: holder, until, since, ahead; of an assignment `to`, `by`, and when such a
    worker was `seen` last; of a lock its name (`lock`), the `job` and `instance` that go first, and in
    `first` what that job waits for (`for`), with its facts.
    """

    id: int
    trigger: int
    transition: str
    fired_at: datetime
    attempts: int
    priority: int
    late: bool
    error: str | None
    waits_for: str
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class InstanceReasons:
    """Why an instance is where it is, now or (`now` false) at a step of its history."""

    wid: int
    flow: str
    status: str
    reason: str | None
    seq: int
    at: datetime
    version: int
    now: bool
    state: Mapping[str, Any]
    labels: AttributeTitles
    rules: Sequence[RuleReason]
    jobs: Sequence[JobReason]

    @property
    def holding(self) -> list[RuleReason]:
        return [rule for rule in self.rules if rule.holds and not rule.integrity]

    @property
    def nearest(self) -> list[RuleReason]:
        """Return the enabled rules that do not hold, those with the fewest obstacles first.

        Integrity conditions that the state violates come before them; those of a final state only where they
        are why the instance is an exception.
        """
        missing = [rule for rule in self.rules if rule.enabled and not rule.holds and not rule.integrity]
        blocked = self.reason == "INTEGRITY"
        violated = [rule for rule in self.rules if rule.enabled and rule.violated]
        first = [rule for rule in violated if blocked or rule.integrity == "always"]
        return [*first, *sorted(missing, key=lambda rule: len(rule.obstacles))]


def explain_instance(wid: int, seq: int | None = None, *, conn: Any = None) -> InstanceReasons:
    """Return why an instance is where it is, or was at the step `seq` of its history.

    An earlier step is explained by the version of the flow that settled it. Raises UnknownInstance.
    """
    found = value(conn, "select wedsql.explain_instance(%s, %s)", (wid, seq))
    definition = found["definition"]
    return InstanceReasons(
        **{name: found[name] for name in ("wid", "flow", "status", "reason", "seq", "version", "now")},
        at=_time(found["at"]),
        state=found["state"],
        labels=AttributeTitles.of(definition["attributes"]),
        rules=list(_rules(found)),
        jobs=[_job(one) for one in found["jobs"]],
    )


def explain_jobs(wid: int, *, conn: Any = None) -> list[JobReason]:
    """Return the jobs of an instance with what each waits for. Raises UnknownInstance."""
    found = value(conn, "select wedsql.explain_jobs(%s)", (wid,))
    return [_job(one) for one in found["jobs"]]


def explain_waits(jobs: Iterable[tuple[int, int]], *, conn: Any = None) -> dict[int, Mapping[str, Any]]:
    """Return the reasons why jobs wait, each given by instance and number: by number, `for` and its facts.

    At most 1,000 are read; those that have ended are left out.
    """
    pairs = list(jobs)
    arguments = ([wid for wid, _job in pairs], [job for _wid, job in pairs])
    found = value(conn, "select wedsql.explain_waits(%s::integer[], %s::bigint[])", arguments)
    return {int(number): _facts(each) for number, each in found.items()}


def _rules(found: Mapping[str, Any]) -> Iterator[RuleReason]:
    pending = {job["trigger"] for job in found["jobs"]}
    due = {timer["trigger"]: _time(timer["due_at"]) for timer in found["timers"]}
    written = {name: Write(**one | {"at": _time(one["at"])}) for name, one in found["written"].items()}
    for trigger, rows in zip(found["definition"]["triggers"], found["rules"], strict=True):
        yield _rule(trigger, rows, found["state"], written, pending, due)


def _rule(
    trigger: Mapping[str, Any],
    rows: Sequence[Sequence[Any]],
    state: Mapping[str, Any],
    written: Mapping[str, Write],
    pending: set[int],
    due: Mapping[int, datetime],
) -> RuleReason:
    predicate, number = trigger["predicate"], trigger.get("id")
    outlines = {row[0]: row[6] for row in rows}
    parts = {
        path: Part(kind, at, predicate[at - 1 :][:length], truth, {name: state.get(name) for name in reads})
        for path, kind, at, length, reads, truth, _outline in rows
    }
    ways = [
        [_obstacle(parts[path], wanted, outlines[path], written) for path, wanted in way]
        for way in alternatives(parts, "", "t")
    ]
    return RuleReason(
        id=number,
        title=trigger.get("label") or rule_name(trigger) or trigger.get("transition") or "",
        transition=trigger.get("transition") or "",
        final=bool(trigger.get("final")),
        integrity=trigger.get("integrity"),
        enabled=trigger.get("enabled", True),
        predicate=predicate,
        value=parts[""].value,
        parts=parts,
        obstacles=ways[0],
        pending=number in pending,
        due_at=due.get(number) if number is not None else None,
        ways=ways,
    )


def _obstacle(part: Part, wanted: str, outline: Mapping[str, Any], written: Mapping[str, Write]) -> Obstacle:
    known = {name: written[name] for name in part.attributes if name in written}
    return Obstacle(part.text, part.value, wanted, outline, part.attributes, known)


def _job(one: Mapping[str, Any]) -> JobReason:
    facts = _facts(one["waits"])
    return JobReason(
        **{
            name: one[name]
            for name in ("id", "trigger", "transition", "attempts", "priority", "late", "error")
        },
        fired_at=_time(one["fired_at"]),
        waits_for=facts.pop("for"),
        facts=facts,
    )


def _facts(waits: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts of what a job waits for, with times."""
    facts = dict(waits)
    for name in ("until", "since", "seen"):
        if facts.get(name):
            facts[name] = _time(facts[name])
    if facts.get("first"):
        facts["first"] = _facts(facts["first"])
    return facts


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
