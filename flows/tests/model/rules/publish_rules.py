"""Rules that publish another definition while instances are running."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule
from psycopg import sql

from flows import api
from flows.definition import AttributeDefinition, Definition, TriggerDefinition
from flows.tests.model import families
from flows.tests.model.base import FLOW, WHICH, BaseMachine, Connection, Violation

# Reasons to reject a definition: a bad name, a predicate over other types, an attribute in use, a second
# final condition, a value out of bounds, a predicate with on_error "abort" that fails.
REFUSED = ("WD002", "WD003", "WD004", "WD005", "WD006", "WD007", "WD008", "WD009", "WD106")
EDITS = ["swap transitions", "duplicate trigger", "remove trigger", "change predicate", "rename attribute"]
ODD_EDITS = ["duplicate attribute", "take a name"]
TRIGGERS = """
    select t.tgid, t.trname, t.cpred, t.cfinal, t.enabled
    from wedsql.trig t join wedsql.flow f on f.id = t.flow_id
    where f.name = %s order by t.cfinal, t.tgid"""


class Publishing(BaseMachine):
    """The author of the flows, publishing definitions."""

    @rule(flow=FLOW, definition=families.definitions(), dry=st.booleans(), reopen=st.booleans())
    def publish(self, flow: str, definition: Definition, dry: bool, reopen: bool) -> None:
        """Publish another definition; a dry run only reports."""
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
        """Publish the present definition with names that are in use or duplicated."""
        self._publish_edited(flow, edit, which, predicate, False)

    @rule(flow=FLOW)
    def publish_swapped(self, flow: str) -> None:
        """Publish the present definition with the names of two attributes exchanged.

        Both are numbers, so that the predicates still fit: this is rejected only where the unchanged
        definition is rejected as well, because a predicate with on_error "abort" fails.
        """
        definition = api.flows.definition(flow, conn=self.control)
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
        return self.control.execute(sql.SQL(query).format(sql.Identifier(flow)), names).fetchall()

    def _publish_edited(self, flow: str, edit: str, which: int, predicate: str, reopen: bool) -> None:
        definition = edited(self.control, flow, edit, which, predicate)
        if definition is None:
            return
        done = self._publish(flow, definition, False, reopen)
        if edit == "duplicate attribute" and done:
            raise Violation("a duplicate attribute was accepted", definition["attributes"])

    def _publish(self, flow: str, definition: Definition, dry: bool, reopen: bool) -> bool:
        before = self._picture() if dry else None
        with self.accepts(*REFUSED) as refused:
            api.flows.publish(flow, definition, dry_run=dry, reopen_final=reopen, conn=self.admin)
        if dry and self._picture() != before:
            raise Violation("a dry run changed something", definition)
        if not dry and not refused:
            self._as_published(flow, definition)
        return not refused

    def _as_published(self, flow: str, definition: Definition) -> None:
        now = api.flows.definition(flow, conn=self.control)
        for published, found in (
            (_triggers(definition["triggers"]), _triggers(now["triggers"])),
            (_names(definition["attributes"]), _names(now["attributes"])),
        ):
            if published != found:
                raise Violation("not what was published", (published - found, found - published))

    def _picture(self) -> Any:
        return self.one(
            "select (select array_agg(i order by i.wid) from wedsql.instance i)::text,"
            " (select array_agg(j order by j.id) from wedsql.job_pool j)::text,"
            " (select array_agg(x order by x.wid, x.tgid) from wedsql.timer x)::text,"
            " (select array_agg(t order by t.tgid) from wedsql.trig t)::text,"
            " (select count(*) from wedsql.wed_trace), (select count(*) from wedsql.job_log)"
        )


def edited(conn: Connection, flow: str, edit: str, which: int, predicate: str) -> Definition | None:
    """Return the present definition with one change; None if it has no trigger to change."""
    definition = api.flows.definition(flow, conn=conn)
    definition.pop("version")
    rows = conn.execute(TRIGGERS, [flow]).fetchall()
    triggers = [t for t in definition["triggers"] if not t.get("final")]
    if not triggers:
        return None
    place = which % len(triggers)
    _EDIT[edit](definition, triggers[place], rows[place][0], predicate)
    return definition


def _triggers(found: list[TriggerDefinition]) -> Counter[Any]:
    return Counter(
        (t.get("transition"), t.get("condition"), t["predicate"], bool(t.get("final"))) for t in found
    )


def _names(found: list[AttributeDefinition]) -> Counter[Any]:
    return Counter(attribute["name"] for attribute in found)


def _rename_attribute(definition: Definition, _trigger: Any, _tgid: int, _predicate: str) -> None:
    last = definition["attributes"][-1]
    last |= {"name": f"{last['name'][0]}2", "was": last["name"]}


def _duplicate_attribute(definition: Definition, _trigger: Any, _tgid: int, _predicate: str) -> None:
    definition["attributes"].append(definition["attributes"][0] | {"default": "1"})


def _swap_transitions(
    definition: Definition, trigger: TriggerDefinition, _tgid: int, _predicate: str
) -> None:
    other = definition["triggers"][0]
    if not other.get("final"):
        trigger["transition"], other["transition"] = other.get("transition"), trigger.get("transition")
        trigger["condition"], other["condition"] = other.get("condition"), trigger.get("condition")


def _duplicate_trigger(
    definition: Definition, trigger: TriggerDefinition, _tgid: int, predicate: str
) -> None:
    definition["triggers"].append(trigger | {"predicate": predicate})


def _take_a_name(definition: Definition, trigger: TriggerDefinition, tgid: int, predicate: str) -> None:
    """Rename the trigger, identified by its number, and add a new one with the old name."""
    definition["triggers"].append(trigger | {"predicate": predicate})
    trigger |= {"id": tgid, "condition": "renamed"}


def _remove_trigger(definition: Definition, trigger: TriggerDefinition, _tgid: int, _predicate: str) -> None:
    definition["triggers"].remove(trigger)


def _change_predicate(
    _definition: Definition, trigger: TriggerDefinition, _tgid: int, predicate: str
) -> None:
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
