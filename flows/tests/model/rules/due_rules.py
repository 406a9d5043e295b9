"""Rules that change when waiting timers are due: the changed trigger has timers."""

from __future__ import annotations

from datetime import datetime

from hypothesis import strategies as st
from hypothesis.stateful import rule

from flows.tests.model.base import FLOW, WHICH, Violation
from flows.tests.model.rules.definition_rules import Defining

WAITED_FOR = """
    select t.tgid from wedsql.trig t join wedsql.flow f on f.id = t.flow_id
    where f.name = %s and exists (select 1 from wedsql.timer x where x.tgid = t.tgid) order by 1"""
SINCE = """
    select x.wid, x.due_at - t.due_after from wedsql.timer x join wedsql.trig t on t.tgid = x.tgid
    where t.tgid = %s and t.due_attr is null and t.due_after < '1000 years' and x.due_at < 'infinity'"""


class Due(Defining):
    """The author of the flows, changing due times."""

    @rule(flow=FLOW, which=WHICH, after=st.sampled_from(["2 minutes", "7 minutes", "1 day", None]))
    def change_due_after(self, flow: str, which: int, after: str | None) -> None:
        """Change how long a trigger waits: its timers move with it."""
        row = self.some(which, WAITED_FOR, flow)
        if row is None:
            return
        before = self._counted_from(row[0])
        self._write(flow, "update wed_trig set due_after = %s where tgid = %s", after, row[0])
        now = self._counted_from(row[0])
        if any(now[wid] != before[wid] for wid in before.keys() & now.keys()):
            raise Violation("timer of another due time", (after, before, now))

    @rule(flow=FLOW, which=WHICH, attr=st.sampled_from(["d", "e", None]))
    def change_due_attribute(self, flow: str, which: int, attr: str | None) -> None:
        """Change the due attribute of a trigger: its timers get the new due time, or are deleted."""
        row = self.some(which, WAITED_FOR, flow)
        if row is not None:
            self._write(flow, "update wed_trig set due_attr = %s where tgid = %s", attr, row[0])

    def _counted_from(self, tgid: int) -> dict[int, datetime]:
        """Return the start of the wait per timer of a trigger with a due time and no due attribute."""
        return dict(self.control.execute(SINCE, [tgid]).fetchall())
