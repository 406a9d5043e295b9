"""Operations on a flow as a whole."""

from __future__ import annotations

from typing import Any

from flows.definition import AttributeDefinition, TriggerDefinition
from flows.operations.base import Alteration, FlowOperation, copy_options
from flows.operations.design import Design


class CreateFlow(FlowOperation):
    """Create an empty flow with these settings (label, final_when_pending, max_firings and so on)."""

    def __init__(self, flow: str, settings: dict[str, Any] | None = None) -> None:
        super().__init__(flow)
        self.settings = copy_options(settings)

    def forwards(self, design: Design) -> None:
        design.create(self.settings)

    def backwards(self, design: Design) -> None:
        design.drop()

    def describe(self) -> str:
        return f"Create flow {self.flow}"

    @property
    def migration_name_fragment(self) -> str:
        return self.flow


class AlterFlow(Alteration):
    """Change settings of a flow; `was` holds the previous values for the reverse."""

    def __init__(self, flow: str, settings: dict[str, Any], was: dict[str, Any] | None = None) -> None:
        super().__init__(flow)
        self.changes = copy_options(settings)
        self.was = copy_options(was)

    def forwards(self, design: Design) -> None:
        design.alter(self.changes)

    def backwards(self, design: Design) -> None:
        design.alter(self.was)

    def describe(self) -> str:
        return f"Change {', '.join(self.changes)} of flow {self.flow}"

    @property
    def migration_name_fragment(self) -> str:
        return "alter_" + "_".join(self.changes)


class DropFlow(FlowOperation):
    """Drop a flow without instances; settings, attributes and triggers are for the reverse."""

    def __init__(
        self,
        flow: str,
        settings: dict[str, Any] | None = None,
        attributes: list[AttributeDefinition] | None = None,
        triggers: list[TriggerDefinition] | None = None,
    ) -> None:
        super().__init__(flow)
        self.settings = copy_options(settings)
        self.attributes = attributes or []
        self.triggers = triggers or []

    def forwards(self, design: Design) -> None:
        design.drop()

    def backwards(self, design: Design) -> None:
        if design.id() is not None:
            return
        design.create(self.settings)
        for attribute in self.attributes:
            rest = {word: value for word, value in attribute.items() if word != "name"}
            design.add_attribute(attribute["name"], rest)
        for trigger in self.triggers:
            design.add_trigger(trigger)

    def describe(self) -> str:
        return f"Drop flow {self.flow}"

    @property
    def migration_name_fragment(self) -> str:
        return f"drop_{self.flow}"
