"""Rules that change a definition under living instances, by publishing it and by the paper's own tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule
from psycopg import sql

from flows import api
from flows.tests.model import families
from flows.tests.model.world import FLOW, FLOWS, LEASES, WHICH, Violation, World
from flows.types import Job

Definition = dict[str, Any]
# What a definition may be refused for: a bad name, a predicate over other types, an attribute in use, a
# second final condition, a value out of bounds, a predicate that fails and says "abort".
REFUSED = ("WD002", "WD003", "WD004", "WD005", "WD006", "WD007", "WD008", "WD009", "WD106")
EDITS = ["swap transitions", "duplicate trigger", "remove trigger", "change predicate", "rename attribute"]
ODD_EDITS = ["duplicate attribute", "take a name"]
ATTRIBUTE_CHANGES = [("rename", "a", "a2"), ("rename", "b", "b2"), ("rename", "d", "d2"),
                     ("retype", "b", "numeric"), ("retype", "b", "integer"), ("retype", "c", "numeric"),
                     ("add or remove", "x", "timestamptz"), ("add or remove", "i", "interval")]  # fmt: skip
NO_NUMBER = (*REFUSED, "42501", "428C9", "42703")
THEMED = st.runner().flatmap(lambda machine: families.definitions(machine.themes))
TRIGGERS = """
    select t.tgid, t.trname, t.cpred, t.cfinal, t.enabled
    from wedsql.trig t join wedsql.flow f on f.id = t.flow_id
    where f.name = %s order by t.cfinal, t.tgid"""


class Defining(World):
    """The author of the flows."""

    @initialize(target=LEASES, first=THEMED, second=THEMED)
    def define(self, first: Definition, second: Definition) -> Job | None:
        """Publish the first definitions, start some instances of each, and claim a job that waits there."""
        for flow, definition, several in ((FLOWS[0], first, 3), (FLOWS[1], second, 1)):
            api.publish(flow, definition, conn=self.eye)
            firsts = [_first(a, b) for a in range(several) for b in range(several)]
            api.start_many(flow, [self.values(flow, first) for first in firsts], conn=self.eye)
        found = api.lease_many(FLOWS[0], families.TRANSITIONS, 1, "model", conn=self.conn)
        return found[0] if found else None

    # -- publishing
    @rule(flow=FLOW, definition=families.definitions(), dry=st.booleans(), reopen=st.booleans())
    def publish(self, flow: str, definition: Definition, dry: bool, reopen: bool) -> None:
        """Publish another definition; a dry run tells and changes nothing."""
        self._publish(flow, definition, dry, reopen)

    @rule(
        flow=FLOW,
        edit=st.sampled_from(EDITS),
        which=WHICH,
        predicate=families.predicates,
        reopen=st.booleans(),
    )
    def publish_edited(self, flow: str, edit: str, which: int, predicate: str, reopen: bool) -> None:
        """Publish the present definition with one change."""
        self._publish_edited(flow, edit, which, predicate, reopen)

    @rule(flow=FLOW, edit=st.sampled_from(ODD_EDITS), which=WHICH, predicate=families.predicates)
    def publish_odd(self, flow: str, edit: str, which: int, predicate: str) -> None:
        """Publish the present definition with names that are taken or there twice."""
        self._publish_edited(flow, edit, which, predicate, False)

    @rule(flow=FLOW)
    def publish_swapped(self, flow: str) -> None:
        """Publish the present definition with the names of two attributes exchanged.

        Both are numbers, so that the predicates still fit: this is refused only where the present definition,
        published as it stands, is refused as well, because a predicate fails and says "abort".
        """
        definition = api.definition(flow, conn=self.eye)
        definition.pop("version")
        first, second = definition["attributes"][:2]
        names = [first["name"], second["name"]]
        before = self._columns(flow, names)
        first |= {"name": names[1], "was": names[0]}
        second |= {"name": names[0], "was": names[1]}
        if self._publish(flow, definition, False, False):
            if self._columns(flow, names[::-1]) != before:
                raise Violation("swapped names, other values", definition["attributes"])
        else:
            for attribute, name in zip((first, second), names, strict=True):
                attribute |= {"name": name, "was": name}
            if self._publish(flow, definition, False, False):
                raise Violation("swapped names were refused", definition)

    def _columns(self, flow: str, names: list[str]) -> list[Any]:
        query = "select to_jsonb(w) -> %s, to_jsonb(w) -> %s from {}.wed_flow w order by wid"
        return self.eye.execute(sql.SQL(query).format(sql.Identifier(flow)), names).fetchall()

    def _publish_edited(self, flow: str, edit: str, which: int, predicate: str, reopen: bool) -> None:
        definition = api.definition(flow, conn=self.eye)
        definition.pop("version")
        rows = self.eye.execute(TRIGGERS, [flow]).fetchall()
        triggers = [t for t in definition["triggers"] if not t.get("final")]
        if not triggers:
            return
        trigger = triggers[which % len(triggers)]
        tgid = rows[which % len(triggers)][0]
        _EDIT[edit](definition, trigger, tgid, predicate)
        done = self._publish(flow, definition, False, reopen)
        if edit == "duplicate attribute" and done:
            raise Violation("a duplicate attribute was accepted", definition["attributes"])

    def _publish(self, flow: str, definition: Definition, dry: bool, reopen: bool) -> bool:
        before = self._picture() if dry else None
        with self.accepts(*REFUSED) as refused:
            api.publish(flow, definition, dry_run=dry, reopen_final=reopen, conn=self.desk)
        if dry and self._picture() != before:
            raise Violation("a dry run changed something", definition)
        if not dry and not refused:
            self._as_published(flow, definition)
        return not refused

    def _as_published(self, flow: str, definition: Definition) -> None:
        now = api.definition(flow, conn=self.eye)
        for said, found in (
            (_triggers(definition["triggers"]), _triggers(now["triggers"])),
            (_names(definition["attributes"]), _names(now["attributes"])),
        ):
            if said != found:
                raise Violation("not what was published", (said - found, found - said))

    def _picture(self) -> Any:
        return self.one(
            "select (select array_agg(i order by i.wid) from wedsql.instance i)::text,"
            " (select array_agg(j order by j.id) from wedsql.job_pool j)::text,"
            " (select array_agg(x order by x.wid, x.tgid) from wedsql.timer x)::text,"
            " (select array_agg(t order by t.tgid) from wedsql.trig t)::text,"
            " (select count(*) from wedsql.wed_trace), (select count(*) from wedsql.job_log)"
        )

    # -- the paper's tables
    def _write(self, flow: str, text: str, *params: Any, codes: Iterable[str] = REFUSED) -> bool:
        """Run a statement on the flow's own tables as the flow's role; whether it was accepted."""
        with self.accepts(*codes) as refused:
            self.paper[flow].execute(text, params)
        return not refused

    @rule(flow=FLOW, which=WHICH, option=families.options)
    def change_option(self, flow: str, which: int, option: tuple[str, Any]) -> None:
        """Change one option of one trigger, whatever waits for it."""
        row = self.some(which, TRIGGERS, flow)
        if row is not None:
            text = sql.SQL("update wed_trig set {} = %s where tgid = %s").format(sql.Identifier(option[0]))
            self._write(flow, text.as_string(None), option[1], row[0])

    @rule(flow=FLOW, which=WHICH, option=st.sampled_from(sorted(families.EXTREMES)))
    def extreme_option(self, flow: str, which: int, option: str) -> None:
        """Give one option a value at the edge of what can be computed; it may be refused."""
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
        """Give a trigger another condition."""
        row = self.some(which, TRIGGERS, flow)
        if row is not None:
            self._write(flow, "update wed_trig set cpred = %s where tgid = %s", predicate, row[0])

    @rule(flow=FLOW, which=WHICH, name=st.sampled_from([*families.TRANSITIONS, "tr_w"]))
    def rename_transition(self, flow: str, which: int, name: str) -> None:
        """Give a trigger another transition."""
        row = self.some(which, TRIGGERS, flow)
        if row is not None and not row[3]:
            self._write(flow, "update wed_trig set trname = %s where tgid = %s", name, row[0])

    @rule(flow=FLOW, which=WHICH)
    def delete_trigger(self, flow: str, which: int) -> None:
        """Remove a trigger; one with pending work stays."""
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
        """Add a trigger with a number that its author would like."""
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
        """Rename, retype, remove or add an attribute; what is gone comes back by the same change again."""
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
        """Add an attribute with a number that its author would like."""
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
            self.desk.execute(text, [policy, firings, flow])


def _first(a: int, b: int) -> dict[str, Any]:
    """Return one of the first states, in which times are near, far or empty."""
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


def _triggers(found: list[dict[str, Any]]) -> Counter[Any]:
    return Counter(
        (t.get("transition"), t.get("condition"), t["predicate"], bool(t.get("final"))) for t in found
    )


def _names(found: list[dict[str, Any]]) -> Counter[Any]:
    return Counter(attribute["name"] for attribute in found)


def _rename_attribute(definition: Definition, _trigger: Any, _tgid: int, _predicate: str) -> None:
    definition["attributes"][-1] |= {"name": "i2", "was": definition["attributes"][-1]["name"]}


def _duplicate_attribute(definition: Definition, _trigger: Any, _tgid: int, _predicate: str) -> None:
    definition["attributes"].append(definition["attributes"][0] | {"default": "1"})


def _swap_transitions(definition: Definition, trigger: dict[str, Any], _tgid: int, _predicate: str) -> None:
    other = definition["triggers"][0]
    if not other.get("final"):
        for name in ("transition", "condition"):
            trigger[name], other[name] = other.get(name), trigger.get(name)


def _duplicate_trigger(definition: Definition, trigger: dict[str, Any], _tgid: int, predicate: str) -> None:
    definition["triggers"].append(trigger | {"predicate": predicate})


def _take_a_name(definition: Definition, trigger: dict[str, Any], tgid: int, predicate: str) -> None:
    """The trigger is known by its number under another name, and a new one takes the old name."""
    definition["triggers"].append(trigger | {"predicate": predicate})
    trigger |= {"id": tgid, "condition": "renamed"}


def _remove_trigger(definition: Definition, trigger: dict[str, Any], _tgid: int, _predicate: str) -> None:
    definition["triggers"].remove(trigger)


def _change_predicate(_definition: Definition, trigger: dict[str, Any], _tgid: int, predicate: str) -> None:
    trigger["predicate"] = predicate


_EDIT = {
    "swap transitions": _swap_transitions,
    "duplicate attribute": _duplicate_attribute,
    "duplicate trigger": _duplicate_trigger,
    "take a name": _take_a_name,
    "remove trigger": _remove_trigger,
    "change predicate": _change_predicate,
    "rename attribute": _rename_attribute,
}
