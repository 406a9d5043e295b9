"""Call anything in any order: every guarantee of the kernel holds after every call.

The suite repeats the run of one seed, with short ones that call the rules that it lacks. `WEDSQL_SEED`
selects another one, `WEDSQL_EXAMPLES` a longer run, new each time; `WEDSQL_STEPS` sets the calls per example.
`WEDSQL_SHRINK=1` makes a failing run search for the shortest sequence, and `python -m
flows.tests.model.search` searches for every kind of violation.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import seed
from hypothesis.stateful import run_state_machine_as_test

from flows.tests.model import rehearsal
from flows.tests.model.engine import EXAMPLES, STEPS, Desk, Engine, Office, length
from flows.tests.model.rehearsal import Run
from flows.tests.model.rules.task_rules import VERBS
from testkit.cases import long

SEED, MOST_RUNS = 57, 20
ASKED_FOR = bool({"WEDSQL_SEED", "WEDSQL_EXAMPLES", "WEDSQL_STEPS"} & set(os.environ))
pytestmark = [pytest.mark.kernel, pytest.mark.slow]


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    if not ASKED_FOR:
        return rehearsal.runs_with_all(SEED, EXAMPLES, STEPS)
    return [Run(int(os.environ["WEDSQL_SEED"]) if "WEDSQL_SEED" in os.environ else None, EXAMPLES)]


def test_any_order_of_calls_keeps_every_promise(dsn: str, runs: list[Run]) -> None:
    for run in runs:
        machine = type("Engine", (Engine,), {"dsn": dsn})
        chosen = machine if run.chance is None else seed(run.chance)(machine)
        run_state_machine_as_test(chosen, settings=length(run.examples))


def test_any_order_of_what_persons_do_keeps_every_promise(dsn: str) -> None:
    machine = seed(int(os.environ.get("WEDSQL_SEED", SEED)))(type("Office", (Office,), {"dsn": dsn}))
    run_state_machine_as_test(machine, settings=length(EXAMPLES if ASKED_FOR or long() else EXAMPLES // 2))


def test_each_verb_of_persons_succeeds_in_some_order_of_calls(dsn: str) -> None:
    done: set[str] = set()
    for chance in range(SEED, SEED + MOST_RUNS):
        desk = type("Desk", (Desk,), {"dsn": dsn, "succeeded": done})
        run_state_machine_as_test(seed(chance)(desk), settings=length(2, 60))
        if done >= VERBS:
            return
    raise AssertionError(f"tried, but never done: {sorted(VERBS - done)}")


@pytest.mark.skipif(ASKED_FOR, reason="another run was asked for")
def test_every_rule_takes_part_in_the_run_of_the_suite(runs: list[Run]) -> None:
    assert rehearsal.rules().difference(*(run.called for run in runs)) == set()
    assert not [rule for rule in Engine.setup_state().rules if rule.preconditions], "the rehearsal meets none"
