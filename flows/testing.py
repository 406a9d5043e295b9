"""Test a definition with pytest: what fires, what waits, what is final; in virtual time, with no worker.

A trial is never changed: each step returns a new one, so several tests can continue from the same one. The
database decides what follows from a step and stores nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from flows import api
from flows.definition import stand_ins
from flows.definition.scenarios import NoSuchRule, held, status
from flows.engine.connection import value
from flows.labels import rule_in_sentence
from flows.management.naming import named_definition
from flows.types import REPAIR, Situation


class Unexpected(AssertionError):
    """Something else happened than was expected; the message has the steps so far."""


@dataclass(frozen=True)
class Trial:
    """An invented instance after some steps. Rules are named by their names or transitions."""

    definition: Mapping[str, Any]
    conn: Any = None
    situation: Situation | None = None
    fired: tuple[int, ...] = ()
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    due: Mapping[int, datetime] = field(default_factory=dict)
    steps: tuple[str, ...] = ()

    @property
    def state(self) -> Mapping[str, Any]:
        return self._situation.state

    @property
    def _situation(self) -> Situation:
        if self.situation is None:
            raise Unexpected("The trial has not started: call start() first.")
        return self.situation

    def start(self, state: Mapping[str, Any] | None = None) -> Trial:
        """Start an instance with these values and the defaults. Raises NoMatch, WrongType ..."""
        after = api.trials.try_start(self.definition, state, conn=self.conn)
        fresh = replace(self, situation=None, due={}, steps=())
        return fresh._after(after, f"start({_shown(state)})")

    def complete(self, rule: str, changes: Mapping[str, Any] | None = None) -> Trial:
        """Complete a pending transition with this result. Raises WriteSet, FinalPending ..."""
        place = self._place(rule, self._situation.pending)
        after = api.trials.try_complete(self.definition, self._situation, place, changes, conn=self.conn)
        return self._after(after, f"complete({rule!r}, {_shown(changes)})")

    def simulate(self, rule: str, choice: int = 0, *, flow: str = "") -> Trial:
        """Complete a pending transition with a result of its handler's stand-in, the first by default.

        `flow` is the flow whose handlers count; those of no flow count for each. Raises StandInFailed.
        """
        place = self._place(rule, self._situation.pending)
        results = stand_ins.results(flow, self._rule(place).get("transition") or "", self.state)
        return self.complete(rule, results[choice])

    def repair(self, changes: Mapping[str, Any]) -> Trial:
        """Repair an exception with these values."""
        after = api.trials.try_complete(self.definition, self._situation, REPAIR, changes, conn=self.conn)
        return self._after(after, f"repair({_shown(changes)})")

    def wait(self, time: timedelta) -> Trial:
        """Let this time pass; what becomes due in it happens in its order."""
        end, trial, fired = self.now + time, self, []
        while coming := sorted((at, place) for place, at in trial.due.items() if at <= end):
            at, place = coming[0]
            at_its_time = replace(trial, now=max(at, trial.now))
            after = api.trials.try_due(self.definition, trial._situation, place, conn=self.conn)
            if after.waiting.get(place) == trial._situation.waiting[place]:
                raise self._unexpected(
                    f"The time {at} came and {rule_in_sentence(trial._rule(place))} did not fire."
                )
            trial = at_its_time._after(after, "")
            fired += after.fired
        return replace(trial, now=end, fired=tuple(fired), steps=(*self.steps, f"wait({time})"))

    def expect(
        self,
        *,
        status: str | None = None,
        fired: Iterable[str] | None = None,
        pending: Iterable[str] | None = None,
        holds: Iterable[str] | None = None,
        **values: Any,
    ) -> Trial:
        """Assert what happened in the last step: status (R, E, F, C), what fired, values by their names.

        `pending` are the jobs that wait for a worker, `holds` the conditions that are true now. Returns the
        trial itself.
        """
        now = self._situation
        if status is not None and status != now.status:
            raise self._unexpected(f"The status is {_status(now.status)} instead of {_status(status)}.")
        for what, names, found in (
            ("fired", fired, self.fired),
            ("is pending", pending, now.pending),
            ("holds", holds, held(now)),
        ):
            if names is not None and sorted({*map(self._place, names)}) != sorted({*found}):
                titles = ", ".join(rule_in_sentence(self.definition["triggers"][n]) for n in sorted({*found}))
                raise self._unexpected(f"This {what}: {titles or 'nothing'}; expected: {', '.join(names)}.")
        for name, expected in values.items():
            if name not in now.state or now.state[name] != expected:
                raise self._unexpected(f"{name} is {now.state.get(name)!r} instead of {expected!r}.")
        return self

    def _rule(self, place: int) -> Mapping[str, Any]:
        trigger: Mapping[str, Any] = self.definition["triggers"][place]
        return trigger

    def _place(self, rule: str, among: Iterable[int] = ()) -> int:
        """Return the place of a rule; of several with its transition the first one of `among`."""
        found = [
            n
            for key in ("name", "transition")
            for n, trigger in enumerate(self.definition["triggers"])
            if trigger.get(key) == rule
        ]
        if not found:
            raise NoSuchRule(f"The definition has no rule and no transition {rule}.")
        return next((n for n in found if n in {*among}), found[0])

    def _after(self, after: Situation, step: str) -> Trial:
        """Return the trial after a step; a time that counts from a condition counts from now."""
        before = self.situation.waiting if self.situation else {}
        due = {
            place: self.due[place] if before.get(place) == at else self._due(place, at)
            for place, at in after.waiting.items()
        }
        return replace(self, situation=after, fired=(*after.fired,), due=due, steps=(*self.steps, step))

    def _due(self, place: int, at: str) -> datetime:
        trigger = self.definition["triggers"][place]
        if trigger.get("due_attr"):
            return datetime.fromisoformat(at)
        after: timedelta = value(self.conn, "select %s::interval", (trigger["due_after"],))
        return self.now + after

    def _unexpected(self, sentence: str) -> Unexpected:
        return Unexpected(f"{sentence}\nSteps: {'; '.join(self.steps)}\nState: {self._situation.state}")


def trial(definition: Mapping[str, Any] | str, *, conn: Any = None) -> Trial:
    """Return a trial of a definition: a mapping, a .yaml or .json file, a flow, its version or draft.

    As in commands, `orders@3` is a version and `orders:main` a draft. `conn` is a psycopg connection; the
    default is that of Django.
    """
    return Trial(named_definition(definition) if isinstance(definition, str) else definition, conn)


def _shown(values: Mapping[str, Any] | None) -> str:
    return "" if values is None else repr(dict(values))


def _status(letter: str) -> str:
    return f"{letter} ({status(letter)})"
