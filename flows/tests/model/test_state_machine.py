"""Whatever is called in whatever order, every promise of the kernel holds after every call.

`WEDSQL_EXAMPLES` and `WEDSQL_STEPS` make the run longer, `WEDSQL_SHRINK=1` makes a failing run look for the
shortest story, and `python -m flows.tests.model.search` looks for every kind of violation.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import seed
from hypothesis.stateful import run_state_machine_as_test

from flows.tests.model.engine import Engine, length

SEED = "" if "WEDSQL_EXAMPLES" in os.environ else os.environ.get("WEDSQL_SEED", "1")
pytestmark = [pytest.mark.kernel, pytest.mark.slow]


def test_any_order_of_calls_keeps_every_promise(dsn: str) -> None:
    machine = type("Engine", (Engine,), {"dsn": dsn})
    # The suite repeats one short run; a longer one is another each time.
    if SEED:
        machine = seed(int(SEED))(machine)
    run_state_machine_as_test(machine, settings=length())
