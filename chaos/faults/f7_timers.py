"""F7, the timers: due when the clock is right again, and not earlier."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from chaos.run import Row
from chaos.system import System
from flows import api

WAIT, LONG = 30.0, 3600.0  # seconds, as in the definition of the flow
SLACK = 10.0  # a round of the reaper and a step, on a busy machine
EACH = 10
_LEFT = "select count(*) from timed.st_status where wid = any (%s) and status = 'R'"
_PLANNED = """
    select count(*), min(extract(epoch from x.due_at - wedsql.now()))::float8,
           max(extract(epoch from x.due_at - wedsql.now()))::float8
    from wedsql.timer x where x.wid = any (%s)
"""


@dataclass
class Timers:
    """Timers that were set and have not fired yet, in lots with the time when each was set."""

    system: System
    row: Row
    short: list[tuple[float, list[int]]] = field(default_factory=list)
    long: list[tuple[float, list[int]]] = field(default_factory=list)

    def set(self, right: bool) -> None:
        """Set timers after a delay and, while the clock is right, some at a moment."""
        states: list[dict[str, object]] = [{"later": "0"}] * EACH
        with self.system.connect("web") as conn:
            if right:
                due = conn.execute("select wedsql.now() + make_interval(secs => %s)", (WAIT,)).fetchone()
                states += [{"at_due": "0", "due": due[0] if due else None}] * EACH
            begun = time.monotonic()
            for kept, lot in ((self.short, states), (self.long, [{"much_later": "0"}] * EACH)):
                results = api.instances.start_many("timed", lot, conn=conn)
                kept.append((begun, [result.wid or 0 for result in results]))

    def ahead(self, seconds: float) -> None:
        """Expect every timer that was set: the clock has gone ahead by an hour or more."""
        lots, self.short, self.long = self.short + self.long, [], []
        for _, wids in lots:
            self._end(wids, seconds, "timers are due, and do not fire")

    def back(self) -> None:
        """Expect short timers at their time, no earlier or later: the clock is right again."""
        lots, self.short = self.short, []
        for begun, wids in self.long:
            self._planned(wids, begun + LONG - time.monotonic())
        for begun, wids in lots:
            left = begun + WAIT - time.monotonic()
            self._end(wids, max(left, 0) + SLACK, "timers wait longer than they should")
            if time.monotonic() < begun + WAIT - 1:
                self.row.fail("timers fired early")

    def _planned(self, wids: list[int], left: float) -> None:
        """Check that the long timers still exist and are due in `left` seconds."""
        count, first, last = self.system.rows(_PLANNED, (wids,))[0]
        if count < len(wids):
            self.row.fail(f"{len(wids) - count} timers fired {left:.0f} s early")
        elif not left - SLACK < first <= last < left + SLACK:
            self.row.fail(f"timers are due in {first:.0f} to {last:.0f} s, and not in {left:.0f}")

    def _end(self, wids: list[int], seconds: float, what: str) -> None:
        self.system.until(lambda: self.system.one(_LEFT, (wids,)) == 0, seconds, what)
