"""The difference of two definitions as migration operations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from flows import api
from flows.definition import ATTRIBUTE, FLOW, TRIGGER, Definition, Options
from flows.operations.attributes import AddAttribute, AlterAttribute, RemoveAttribute
from flows.operations.base import FlowOperation
from flows.operations.flows import AlterFlow
from flows.operations.triggers import IDENTITY, AddTrigger, AlterTrigger, RemoveTrigger
from flows.types import Change

Values = dict[str, Any]


def settings(definition: Definition) -> Values:
    """Return the settings of a flow that differ from the defaults."""
    return FLOW.given({name: definition.get(name) for name in FLOW})


def operations_between(
    flow: str, old: Definition, new: Definition, recreate_triggers: bool = False
) -> list[FlowOperation]:
    """Return the operations that change old to new, in an order in which each of them is allowed.

    With `recreate_triggers`, a changed trigger is removed before the attributes change and added afterwards.
    """
    return list(_Plan(flow, old, new).in_order(recreate_triggers))


class _Plan:
    def __init__(self, flow: str, old: Definition, new: Definition) -> None:
        self.flow, self.old, self.new = flow, old, new
        self.changes = api.flows.difference(old, new)

    def in_order(self, recreate_triggers: bool) -> Iterator[FlowOperation]:
        altered = [] if recreate_triggers else self._found("trigger", "changed")
        recreated = self._found("trigger", "changed") if recreate_triggers else []
        yield from self._settings()
        for change in (*self._found("trigger", "removed"), *recreated):
            yield RemoveTrigger(self.flow, TRIGGER.given(change.old))
        yield from self._attributes()
        for change in sorted(altered, key=lambda change: bool(change.new.get("final"))):
            yield self._alter_trigger(change)
        for change in (*self._found("trigger", "added"), *recreated):
            yield AddTrigger(self.flow, TRIGGER.given(change.new))
        for change in self._found("attribute", "removed"):
            yield RemoveAttribute(self.flow, change.old["name"], _unnamed(change.old))

    def _found(self, part: str, kind: str) -> list[Change]:
        return [change for change in self.changes if (change.part, change.kind) == (part, kind)]

    def _settings(self) -> Iterator[FlowOperation]:
        found = self._found("setting", "changed")
        if found:
            new = {name: value for change in found for name, value in change.new.items()}
            old = {name: value for change in found for name, value in change.old.items()}
            yield AlterFlow(self.flow, new, old)

    def _attributes(self) -> Iterator[FlowOperation]:
        for change in self._found("attribute", "added"):
            yield AddAttribute(self.flow, change.new["name"], _unnamed(change.new))
        for change in self._found("attribute", "changed"):
            yield AlterAttribute(self.flow, change.new["name"], *_differing(change, ATTRIBUTE))

    def _alter_trigger(self, change: Change) -> AlterTrigger:
        return AlterTrigger(self.flow, self._identity(change), *_differing(change, TRIGGER))

    def _identity(self, change: Change) -> Values:
        """Return the fewest options that identify this trigger uniquely both before and after the change."""
        for names in (("name",), ("transition",), ("name", "transition", "condition"), IDENTITY):
            given = {name: change.old[name] for name in names if change.old.get(name) is not None}
            after = {name: change.new.get(name, TRIGGER[name].default) for name in given}
            if given and _count(self.old["triggers"], given) == _count(self.new["triggers"], after) == 1:
                return given
        return {name: value for name, value in change.old.items() if name in IDENTITY}


def _unnamed(attribute: Values) -> Values:
    """Return the options of an attribute other than its name that differ from the defaults."""
    return {name: value for name, value in ATTRIBUTE.given(attribute).items() if name != "name"}


def _differing(change: Change, options: Options) -> tuple[Values, Values]:
    """Return the new and the old values of the options that differ."""
    new, old = options.defaults | change.new, options.defaults | change.old
    names = [name for name in options if new[name] != old[name]]
    return {name: new[name] for name in names}, {name: old[name] for name in names}


def _count(triggers: Iterable[Mapping[str, Any]], given: Values) -> int:
    return sum(all(trigger.get(name) == value for name, value in given.items()) for trigger in triggers)
