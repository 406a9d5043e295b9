"""The complete state machine, and the length of its runs."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

from flows.tests.model.attempt_rules import Attempts
from flows.tests.model.automatic_rules import Automatic
from flows.tests.model.batch_rules import Batches
from flows.tests.model.child_rules import Children
from flows.tests.model.due_rules import Due
from flows.tests.model.operate_rules import Operate
from flows.tests.model.paper_rules import Paper
from flows.tests.model.repair_rules import Repair, Settings
from flows.tests.model.signal_rules import Signals
from flows.tests.model.time_rules import Time

EXAMPLES = int(os.environ.get("WEDSQL_EXAMPLES", "12"))
STEPS = int(os.environ.get("WEDSQL_STEPS", "25"))


class Engine(Time, Attempts, Paper, Due, Repair, Settings, Batches, Operate, Signals, Automatic, Children):
    """Every family of rules on the same two flows."""


def length(examples: int = EXAMPLES, steps: int = STEPS) -> settings:
    """Return the settings of a run of this many examples; WEDSQL_SHRINK makes it shrink failures."""
    return settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        print_blob=True,
        phases=[Phase.generate, Phase.shrink] if os.environ.get("WEDSQL_SHRINK") else [Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
