"""The complete state machine, and the length of its runs."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

from flows.tests.model import families
from flows.tests.model.rules.attempt_rules import Attempts
from flows.tests.model.rules.automatic_rules import Automatic
from flows.tests.model.rules.batch_rules import Batches
from flows.tests.model.rules.child_rules import Children
from flows.tests.model.rules.due_rules import Due
from flows.tests.model.rules.operate_rules import Operate
from flows.tests.model.rules.paper_rules import Paper
from flows.tests.model.rules.repair_rules import Repair, Settings
from flows.tests.model.rules.signal_rules import Signals
from flows.tests.model.rules.task_rules import Tasks
from flows.tests.model.rules.time_rules import Time
from flows.tests.model.rules.undo_rules import Undo

EXAMPLES = int(os.environ.get("WEDSQL_EXAMPLES", "12"))
STEPS = int(os.environ.get("WEDSQL_STEPS", "25"))


class Engine(
    Time, Attempts, Paper, Due, Repair, Settings, Batches, Operate, Undo, Signals, Automatic, Children, Tasks
):
    """Every family of rules on the same two flows."""


class Office(Tasks, Time, Repair, Operate, Undo, Signals):
    """The rules of tasks among those that most concern them, on flows of which people perform most."""

    themes = families.PERSONS


class Desk(Tasks):
    """The rules of tasks and of starts alone, so that short runs have each verb succeed."""

    themes = families.PERSONS


for _rule in Tasks.setup_state().rules:
    if _rule.function.__name__ not in {*vars(Tasks), "start"}:
        setattr(Desk, _rule.function.__name__, None)


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
