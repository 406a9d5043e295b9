"""Operations on the triggers of a flow.

The name of a trigger is optional and need not be unique, and its number differs between databases. So a
trigger is identified by the values of its options, as many as are needed.
"""

from __future__ import annotations

from typing import Any

from flows.operations.base import Alteration, FlowOperation, copy_options
from flows.operations.design import Design, FlowMigrationError

IDENTITY = ("name", "transition", "condition", "predicate", "final")


def describe_trigger(trigger: dict[str, Any]) -> str:
    """Return a text that denotes a trigger in a sentence."""
    given = (trigger.get(word) for word in ("name", "transition", "condition"))
    return str(
        next((value for value in given if value), "final" if trigger.get("final") else "without a name")
    )


class _TriggerOperation(FlowOperation):
    def __init__(self, flow: str, trigger: dict[str, Any]) -> None:
        super().__init__(flow)
        self.trigger = copy_options(trigger)

    @property
    def identity(self) -> dict[str, Any]:
        """Return the options that identify the trigger within its flow."""
        return {word: value for word, value in self.trigger.items() if word in IDENTITY}

    def _add(self, design: Design) -> None:
        if not design.triggers(self.identity):
            design.add_trigger(self.trigger)

    def _remove(self, design: Design) -> None:
        for tgid in design.triggers(self.identity)[-1:]:
            design.remove_trigger(tgid)


class AddTrigger(_TriggerOperation):
    """Add a trigger with these options: transition, predicate, name, condition, final, timeout and so on."""

    def forwards(self, design: Design) -> None:
        self._add(design)

    def backwards(self, design: Design) -> None:
        self._remove(design)

    def describe(self) -> str:
        return f"Add trigger {describe_trigger(self.trigger)} to flow {self.flow}"

    @property
    def migration_name_fragment(self) -> str:
        return f"trigger_{describe_trigger(self.trigger)}".replace(" ", "_").lower()


class RemoveTrigger(_TriggerOperation):
    """Remove the trigger with these options; the reverse adds it again with all of them."""

    def forwards(self, design: Design) -> None:
        self._remove(design)

    def backwards(self, design: Design) -> None:
        self._add(design)

    def describe(self) -> str:
        return f"Remove trigger {describe_trigger(self.trigger)} from flow {self.flow}"

    @property
    def migration_name_fragment(self) -> str:
        return f"remove_trigger_{describe_trigger(self.trigger)}".replace(" ", "_").lower()


class AlterTrigger(Alteration, _TriggerOperation):
    """Change options of the trigger that `trigger` identifies; `was` holds the old values for the reverse."""

    def __init__(
        self,
        flow: str,
        trigger: dict[str, Any],
        changes: dict[str, Any],
        was: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(flow, trigger)
        self.changes = copy_options(changes)
        self.was = copy_options(was)

    def forwards(self, design: Design) -> None:
        self._alter(design, {**self.was, **self.trigger}, self.changes)

    def backwards(self, design: Design) -> None:
        before = {**self.trigger, **self.was}
        changes = {word: before[word] for word in self.changes}
        self._alter(design, {**self.trigger, **self.changes}, changes)

    def _alter(self, design: Design, found_by: dict[str, Any], changes: dict[str, Any]) -> None:
        wanted = {**found_by, **changes}
        identity = {word: found_by[word] for word in self.trigger}
        found = design.triggers(identity)
        if not found and len(design.triggers({word: wanted[word] for word in self.trigger})) == 1:
            return
        if len(found) != 1:
            many = "no trigger" if not found else f"{len(found)} triggers"
            raise FlowMigrationError(f"Flow {self.flow} has {many} with {identity}.")
        design.alter_trigger(found[0], changes)

    def describe(self) -> str:
        trigger = describe_trigger(self.trigger)
        return f"Change {', '.join(self.changes)} of trigger {trigger} of flow {self.flow}"

    @property
    def migration_name_fragment(self) -> str:
        return f"alter_trigger_{describe_trigger(self.trigger)}".replace(" ", "_").lower()
