"""Rules that change the definition of running instances in the paper's own tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule
from psycopg import sql

from flows import api
from flows.tests.model import families
from flows.tests.model.base import FLOW, FLOWS, LEASES, WHICH, Violation
from flows.tests.model.rules.publish_rules import REFUSED, TRIGGERS, Definition, Publishing
from flows.types import ClaimedJob

ATTRIBUTE_CHANGES = [("rename", "a", "a2"), ("rename", "b", "b2"), ("rename", "d", "d2"),
                     ("retype", "b", "numeric"), ("retype", "b", "integer"), ("retype", "c", "numeric"),
                     ("add or remove", "x", "timestamptz"), ("add or remove", "i", "interval")]  # fmt: skip
NO_NUMBER = (*REFUSED, "42501", "428C9", "42703")
THEMED = st.runner().flatmap(lambda machine: families.definitions(machine.themes))


class Defining(Publishing):
    """The author of the flows."""

    @initialize(target=LEASES, first=THEMED, second=THEMED)
    def define(self, first: Definition, second: Definition) -> ClaimedJob | None:
        """Publish the first definitions, start some instances of each, and lease a job of the first flow."""
        for flow, definition, several in ((FLOWS[0], first, 3), (FLOWS[1], second, 1)):
            api.flows.publish(flow, definition, conn=self.control)
            firsts = [_first(a, b) for a in range(several) for b in range(several)]
            api.instances.start_many(flow, [self.values(flow, first) for first in firsts], conn=self.control)
        found = api.jobs.lease_many(FLOWS[0], families.TRANSITIONS, 1, "model", conn=self.conn)
        return found[0] if found else None

    # -- the paper's tables
    def _write(self, flow: str, text: str, *params: Any, codes: Iterable[str] = REFUSED) -> bool:
        """Run a statement on the flow's own tables as the flow's role; return whether it was accepted."""
        with self.accepts(*codes) as refused:
            self.paper[flow].execute(text, params)
        return not refused

    @rule(flow=FLOW, which=WHICH, option=families.options)
    def change_option(self, flow: str, which: int, option: tuple[str, Any]) -> None:
        """Change one option of one trigger, with or without jobs."""
        row = self.some(which, TRIGGERS, flow)
        if row is not None:
            text = sql.SQL("update wed_trig set {} = %s where tgid = %s").format(sql.Identifier(option[0]))
            self._write(flow, text.as_string(None), option[1], row[0])

    @rule(flow=FLOW, which=WHICH, option=st.sampled_from(sorted(families.EXTREMES)))
    def extreme_option(self, flow: str, which: int, option: str) -> None:
        """Give one option a value at the edge of what can be computed; it may be rejected."""
        row = self.some(which, TRIGGERS, flow)
        if row is not None:
            text = sql.SQL("update wed_trig set {} = %s where tgid = %s").format(sql.Identifier(option))
            self._write(
                flow,
                text.as_string(None),
                families.EXTREMES[option],
                row[0],
                codes=(*REFUSED, "23514", "22008"),
            )

    @rule(flow=FLOW, which=WHICH, predicate=families.predicates)
    def change_predicate(self, flow: str, which: int, predicate: str) -> None:
        """Replace the condition of a trigger."""
        row = self.some(which, TRIGGERS, flow)
        if row is not None:
            self._write(flow, "update wed_trig set cpred = %s where tgid = %s", predicate, row[0])

    @rule(flow=FLOW, which=WHICH, name=st.sampled_from([*families.TRANSITIONS, "tr_w"]))
    def rename_transition(self, flow: str, which: int, name: str) -> None:
        """Replace the transition of a trigger."""
        row = self.some(which, TRIGGERS, flow)
        if row is not None and not row[3]:
            self._write(flow, "update wed_trig set trname = %s where tgid = %s", name, row[0])

    @rule(flow=FLOW, which=WHICH)
    def delete_trigger(self, flow: str, which: int) -> None:
        """Delete a trigger; one with pending work stays."""
        row = self.some(which, TRIGGERS, flow)
        if row is not None:
            self._write(flow, "delete from wed_trig where tgid = %s", row[0])

    @rule(flow=FLOW, trigger=families.triggers())
    def insert_trigger(self, flow: str, trigger: dict[str, Any]) -> None:
        """Add a trigger."""
        row = {"trname": trigger.pop("transition"), "cpred": trigger.pop("predicate"), **trigger}
        self._write(flow, _insert(row), *row.values())

    @rule(flow=FLOW, trigger=families.triggers(), number=st.sampled_from([0, -7, 1_000_000]))
    def insert_numbered_trigger(self, flow: str, trigger: dict[str, Any], number: int) -> None:
        """Add a trigger with a chosen number."""
        row = {
            "trname": trigger.pop("transition"),
            "cpred": trigger.pop("predicate"),
            **trigger,
            "tgid": number,
        }
        self._write(flow, _insert(row), *row.values(), codes=NO_NUMBER)
        if self.one("select 1 from wedsql.trig where tgid = %s", number):
            raise Violation("a chosen number", row)

    @rule(flow=FLOW, change=st.sampled_from(ATTRIBUTE_CHANGES))
    def change_attribute(self, flow: str, change: tuple[str, str, str]) -> None:
        """Rename, retype, remove or add an attribute; repeating a removal adds the attribute again."""
        what, name, other = change
        known = self.one("select 1 from wedsql.attr a join wedsql.flow f on f.id = a.flow_id"
                         " where f.name = %s and a.aname = %s", flow, name)  # fmt: skip
        if what == "rename":
            names = (other, name) if known else (name, other)
            self._write(flow, "update wed_attr set aname = %s where aname = %s", *names)
        elif what == "retype":
            self._write(flow, "update wed_attr set type = %s where aname = %s", other, name)
        elif known:
            self._write(flow, "delete from wed_attr where aname = %s", name)
        else:
            self._write(flow, "insert into wed_attr (aname, type) values (%s, %s)", name, other)

    @rule(flow=FLOW, number=st.sampled_from([0, -7]))
    def insert_numbered_attribute(self, flow: str, number: int) -> None:
        """Add an attribute with a chosen number."""
        self._write(flow, "insert into wed_attr (aid, aname) values (%s, 'y')", number, codes=NO_NUMBER)
        self._write(flow, "delete from wed_attr where aname = 'y'")

    @rule(
        flow=FLOW,
        policy=st.sampled_from(["reject", "defer", "cancel"]),
        firings=st.sampled_from([1, 3, 1000]),
    )
    def change_flow(self, flow: str, policy: str, firings: int) -> None:
        """Change the settings of the flow itself."""
        with self.accepts(*REFUSED):
            text = "update wedsql.flow set final_when_pending = %s, max_firings = %s where name = %s"
            self.admin.execute(text, [policy, firings, flow])


def _first(a: int, b: int) -> dict[str, Any]:
    """Return one of the first states, in which times are near, far or null."""
    which = (a + b) % 3
    times = {
        "d": (None, 10, 3)[which],
        "e": (0, None, 1)[which],
        "i": ("1 day 02:00:00", "-3:00", None)[which],
    }
    return {"a": a, "b": b, "c": 1} | times


def _insert(row: dict[str, Any]) -> str:
    names = sql.SQL(", ").join(map(sql.Identifier, row))
    values = sql.SQL(", ").join(sql.Placeholder() * len(row))
    return sql.SQL("insert into wed_trig ({}) values ({})").format(names, values).as_string(None)
