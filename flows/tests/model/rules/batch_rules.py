"""Rules that publish in batches: the re-match follows the publication, with anything else in between."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import rule

from flows import api
from flows.tests.model import families
from flows.tests.model.base import FLOW, WHICH
from flows.tests.model.rules.publish_rules import EDITS, REFUSED, Publishing, edited

BATCHES = st.integers(0, 4)
SET = "select set_config('wedsql.rematch_at_once', %s, false), set_config('wedsql.rematch_batch', '1', false)"


class Batches(Publishing):
    """The author of a flow that has more instances than are re-matched at once, and the reaper."""

    @rule(
        flow=FLOW,
        edit=st.sampled_from(EDITS),
        which=WHICH,
        predicate=families.predicates,
        reopen=st.booleans(),
        batches=BATCHES,
    )
    def publish_in_batches(
        self, flow: str, edit: str, which: int, predicate: str, reopen: bool, batches: int
    ) -> None:
        """Publish the present definition with one change, and re-match some of the instances."""
        definition = edited(self.control, flow, edit, which, predicate)
        if definition is None:
            return
        self.admin.execute(SET, ["0"])
        with self.accepts(*REFUSED) as refused, self.admin.transaction():
            api.flows.publish(flow, definition, reopen_final=reopen, conn=self.admin)
        self.admin.execute(SET, [""])
        if not refused:
            self._as_published(flow, definition)
        self._rematch(batches)

    @rule(batches=BATCHES)
    def continue_rematches(self, batches: int) -> None:
        """Continue what is on its way, one instance at a time."""
        self._rematch(batches)

    def _rematch(self, batches: int) -> None:
        with self.accepts(what="re-match"):
            for _ in range(batches):
                api.instances.rematch_due(conn=self.admin)
