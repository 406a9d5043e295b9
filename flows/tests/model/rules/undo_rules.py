"""Rules that undo what was done: an instance goes back to one of its steps, or is aborted."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import rule

from flows import api
from flows.tests.model.base import FLOWS, WHICH, BaseMachine, Violation
from flows.tests.model.rules.operate_rules import LIVING, REASON

# Instances in which a person has a task come first.
UNDONE = LIVING.replace(
    "order by 1",
    "order by exists (select from wedsql.task t where t.wid = i.wid and t.ended_at is null) = %s desc, 1",
)
# An instance that has ended, a condition that cannot be evaluated, a job that a worker holds.
REFUSED = ("WD105", "WD106", "WD203")


class Undo(BaseMachine):
    """An operator who goes back; the results of the undone steps remain those of their jobs."""

    @rule(
        which=WHICH, people=st.booleans(), back=st.integers(1, 3), override=st.booleans(), hold=st.booleans()
    )
    def roll_back(self, which: int, people: bool, back: int, override: bool, hold: bool) -> None:
        """Go back some steps; then the conditions fire again, or the instance is suspended."""
        row = self.some(which, UNDONE, list(FLOWS), ["R", "E"], people)
        if row is None:
            return
        at = self.one("select seq from wedsql.instance where wid = %s", row[0])[0]
        with self.accepts(*REFUSED) as refused:
            status = api.compensations.roll_back(
                row[0], max(at - back, 1), REASON, override=override, hold=hold, conn=self.admin
            )
        if not refused and hold and status not in "SXF":
            raise Violation("not held after going back", (row, status))

    @rule(which=WHICH, people=st.booleans())
    def abort(self, which: int, people: bool) -> None:
        """Undo all steps of an instance and end it."""
        row = self.some(which, UNDONE, list(FLOWS), ["R", "E", "S"], people)
        if row is None or which > 4:
            return
        with self.accepts(*REFUSED) as refused:
            status = api.compensations.abort(row[0], REASON, override=True, conn=self.admin)
        if not refused and status not in "AX":
            raise Violation("not aborted", (row, status))
