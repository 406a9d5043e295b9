"""Rules for signals: results of waiting jobs from outside, kept ones, and repeated ones."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from flows import api
from flows.capabilities.signals.api import SentSignal
from flows.tests.model import families
from flows.tests.model.base import FLOW, WHICH, Violation
from flows.tests.model.rules.definition_rules import Defining

# A trigger and an open instance; those with a job that a signal could complete come first.
RECEIVERS = """
    select i.wid, t.trname, t.tgid from wedsql.instance i join wedsql.flow f on f.id = i.flow_id
    join wedsql.trig t on t.flow_id = f.id and not t.cfinal
    where f.name = %s and i.status in ('R', 'E', 'S')
    order by exists (select 1 from wedsql.job_pool j where j.wid = i.wid and j.tgid = t.tgid
                     and j.state = 'P') desc, i.wid, t.tgid limit 5"""
WAITS = "update wed_trig set signal = %s, keep = %s where tgid = %s"
# As a worker's result; the trigger was not changed; another signal had the token; the limit of kept ones.
REFUSED = ("WD103", "WD106", "WD210", "WD560", "WD561", "WD563")


class Signals(Defining):
    """A sender that may repeat what it sent."""

    @rule(
        flow=FLOW,
        which=WHICH,
        changes=families.states,
        token=st.sampled_from([None, "one", "two"]),
        keep=st.sampled_from([None, "10 minutes"]),
        stays=st.booleans(),
    )
    def signal(
        self, flow: str, which: int, changes: dict[str, Any], token: str | None, keep: str | None, stays: bool
    ) -> None:
        """Let a trigger wait for a signal and send it, with a token twice; then workers serve it again."""
        row = self.some(which, RECEIVERS, flow)
        if row is None:
            return
        wid, name, tgid = row
        self._write(flow, WAITS, True, keep, tgid)
        written = self.values(flow, changes)
        first = self._send(flow, name, written, wid, token)
        again = self._send(flow, name, written, wid, token) if first and token else None
        if again and first and (not again.repeated or _answer(again) != _answer(first)):
            raise Violation("a repeated signal had another answer", (first, again))
        if not stays:
            self._write(flow, WAITS, False, keep, tgid)

    def _send(
        self, flow: str, name: str, written: dict[str, Any], wid: int, token: str | None
    ) -> SentSignal | None:
        """Send a signal; return None if it was rejected."""
        sent = None
        held_back = self.one("select status = 'S' from wedsql.instance where wid = %s", wid)[0]
        with self.accepts(*REFUSED, *(["WD105"] if held_back else [])):
            sent = api.signals.send(flow, name, written, to=wid, token=token, conn=self.admin)
        if sent and (sent.outcome == "delivered") != (sent.seq is not None):
            raise Violation("a signal without its step", sent)
        return sent


def _answer(sent: SentSignal) -> tuple[Any, ...]:
    return sent.id, sent.outcome, sent.wid, sent.seq
