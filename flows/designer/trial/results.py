"""The results that are known of a transition: those of its declared stand-in, and the recorded ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flows import json_text
from flows.definition import stand_ins
from flows.designer.draft.content import Design
from flows.designer.trial import values
from flows.queries.results import usual_results
from flows.types import Situation

# With a failing stand-in each costs its time limit.
MOST_FAILURES = 2


@dataclass(frozen=True)
class Result:
    """What a transition may write; `action` is the value of the button that completes it so."""

    place: int
    changes: Mapping[str, Any]
    recorded: bool = False

    @property
    def text(self) -> str:
        """Return the changes for people."""
        return ", ".join(f"{name} = {values.as_text(value) or '∅'}" for name, value in self.changes.items())

    @property
    def action(self) -> str:
        return f"complete:{self.place}:{json_text.encode(self.changes, separators=(',', ':'))}"


@dataclass
class StandIns:
    """The results of one rule's stand-in on a state, or why there are none."""

    place: int
    results: list[Result]
    error: str = ""


class Known:
    """The known results of a definition's rules; after some failures no stand-in is called any more."""

    def __init__(self, design: Design, definition: Mapping[str, Any]) -> None:
        self.design, self.triggers = design, definition["triggers"]
        self.failures = 0
        self._recorded: dict[int, list[Result]] = {}

    def stand_in(self, place: int, state: Mapping[str, Any]) -> StandIns | None:
        """Return the result of a rule's stand-in on a state; None without one."""
        transition = str(self.triggers[place].get("transition") or "")
        if self.failures >= MOST_FAILURES or stand_ins.stand_in(self.design.name, transition) is None:
            return None
        try:
            found = stand_ins.results(self.design.name, transition, state)
        except stand_ins.StandInFailed as error:
            self.failures += 1
            return StandIns(place, [], error.sentence)
        return StandIns(place, [Result(place, changes) for changes in found])

    def recorded(self, place: int) -> list[Result]:
        """Return the values that results of a rule wrote most often in the history."""
        tgid = self.triggers[place].get("id")
        if self.design.flow is None or not isinstance(tgid, int):
            return []
        if place not in self._recorded:
            found = usual_results(self.design.flow.id, tgid)
            self._recorded[place] = [Result(place, changes, recorded=True) for changes in found]
        return self._recorded[place]


def results(design: Design, definition: Mapping[str, Any], now: Situation) -> dict[int, StandIns]:
    """Return the results of the stand-ins of the pending transitions, by the places of the rules."""
    known = Known(design, definition)
    waits = [place for place in now.pending if place not in now.parked]
    found = {place: known.stand_in(place, now.state) for place in waits}
    return {place: each for place, each in found.items() if each is not None}
