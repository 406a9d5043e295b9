"""Call anything in any order: every guarantee of the kernel holds after every call.

The suite repeats one short run, with the first seed that makes every rule take part. `WEDSQL_SEED` selects
another one, `WEDSQL_EXAMPLES` a longer run, new each time; `WEDSQL_STEPS` sets the calls per example.
`WEDSQL_SHRINK=1` makes a failing run search for the shortest sequence, and `python -m
flows.tests.model.search` searches for every kind of violation.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import seed
from hypothesis.stateful import run_state_machine_as_test

from flows.tests.model import rehearsal
from flows.tests.model.engine import EXAMPLES, STEPS, Engine, length

LIKELY = 57  # the first seed with every rule when this was written
pytestmark = [pytest.mark.kernel, pytest.mark.slow]


@pytest.fixture(scope="module")
def chance() -> int | None:
    """The seed of this run; None for another one each time."""
    if "WEDSQL_SEED" in os.environ:
        return int(os.environ["WEDSQL_SEED"])
    return None if "WEDSQL_EXAMPLES" in os.environ else rehearsal.first_with_all(LIKELY, EXAMPLES, STEPS)


def test_any_order_of_calls_keeps_every_promise(dsn: str, chance: int | None) -> None:
    machine = type("Engine", (Engine,), {"dsn": dsn})
    run_state_machine_as_test(machine if chance is None else seed(chance)(machine), settings=length())


@pytest.mark.skipif(
    bool({"WEDSQL_SEED", "WEDSQL_EXAMPLES", "WEDSQL_STEPS"} & set(os.environ)),
    reason="another run was asked for",
)
def test_every_rule_takes_part_in_the_run_of_the_suite(chance: int) -> None:
    called = rehearsal.rehearse(chance, EXAMPLES, STEPS)
    assert rehearsal.rules() - set(called) == set()
    assert not [rule for rule in Engine.setup_state().rules if rule.preconditions], "the rehearsal meets none"
