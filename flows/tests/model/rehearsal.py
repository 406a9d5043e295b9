"""The choices of a run of the state machine without their execution: the rules it calls, and how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import seed
from hypothesis.stateful import (
    INITIALIZE_RULE_MARKER,
    RULE_MARKER,
    Rule,
    RuleBasedStateMachine,
    run_state_machine_as_test,
)

from flows.tests.model.engine import Engine, length

SHORT, CANDIDATES = 3, 15


@dataclass(frozen=True)
class Run:
    """A run of the state machine: its seed, None for a new one each time, and the rules that it calls."""

    chance: int | None
    examples: int
    called: set[str] = field(default_factory=set)


def rules() -> set[str]:
    """Return the names of the machine's rules."""
    return {rule.function.__name__ for rule in Engine.setup_state().rules}


def rehearse(chance: int, examples: int, steps: int) -> Counter[str]:
    """Count the calls of a run with this seed: those of the real run, as no choice depends on an answer."""
    called: Counter[str] = Counter()
    found = Engine.setup_state()
    stand_ins = {
        rule.function.__name__: _stand_in(rule, marker, called)
        for marker, known in ((RULE_MARKER, found.rules), (INITIALIZE_RULE_MARKER, found.initializers))
        for rule in known
    }
    machine = type(
        "Rehearsal",
        (Engine,),
        {"__init__": RuleBasedStateMachine.__init__, "teardown": lambda _: None, "everything_holds": None}
        | stand_ins,
    )
    run_state_machine_as_test(seed(chance)(machine), settings=length(examples, steps))
    return called


def _stand_in(rule: Rule, marker: str, called: Counter[str]) -> Callable[..., None]:
    """Return a function that replaces a rule's and only counts its calls."""

    def function(_machine: RuleBasedStateMachine, **_drawn: Any) -> None:
        called[function.__name__] += 1

    function.__name__ = rule.function.__name__
    setattr(function, marker, replace(rule, function=function))
    return function


def runs_with_all(chance: int, examples: int, steps: int) -> list[Run]:
    """Return the run of a seed and short ones with which every rule is called.

    What a seed calls depends on the modules that are loaded, as Hypothesis takes constants from them. Each
    short run is the one of a few that calls most of what is missing.
    """
    runs = [Run(chance, examples, set(rehearse(chance, examples, steps)))]
    for first in range(chance + 1, chance + 10 * CANDIDATES, CANDIDATES):
        if missing := rules().difference(*(run.called for run in runs)):
            tried = range(first, first + CANDIDATES)
            short = [Run(each, SHORT, set(rehearse(each, SHORT, steps))) for each in tried]
            runs.append(max(short, key=lambda run: len(missing & run.called)))
    return runs
