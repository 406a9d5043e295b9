"""Rules for transitions that the database performs in the commit that fires them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from flows import api
from flows.tests.model import families
from flows.tests.model.base import FLOW, START_REFUSED, WHICH
from flows.tests.model.rules.definition_rules import Defining
from flows.tests.model.rules.publish_rules import TRIGGERS

# They end, go round in a circle until the firing limit, or fail on some states.
SETS = st.sampled_from(["c = 2", "c = least(c + 1, 2)", "c = (c + 1) % 3", "c = 1 / c", "c = null"])
PERFORMS = "update wed_trig set performer = %s, sets = %s, max_firings = 6 where tgid = %s"


class Automatic(Defining):
    """The author of automatic transitions."""

    @rule(
        flow=FLOW, which=WHICH, sets=SETS, state=families.states,
        performer=st.sampled_from(["database", "database", "worker"]), stays=st.booleans(),
    )  # fmt: skip
    def automatic(
        self, flow: str, which: int, sets: str, state: dict[str, Any], performer: str, stays: bool
    ) -> None:
        """Let the database perform a trigger, or add to the results of workers, and start an instance."""
        row = self.some(which, TRIGGERS, flow)
        if row is None or not self._write(flow, PERFORMS, performer, sets, row[0]):
            return
        with self.accepts(*START_REFUSED):
            api.instances.start(flow, self.values(flow, state), conn=self.admin)
        if not stays:
            self._write(flow, PERFORMS, "worker", None, row[0])
