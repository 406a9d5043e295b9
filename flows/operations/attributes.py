"""Operations on the attributes of a flow; the kernel changes the columns of wed_flow with them."""

from __future__ import annotations

from typing import Any

from flows.operations.base import Alteration, FlowOperation, copy_options
from flows.operations.design import Design


class _AttributeOperation(FlowOperation):
    def __init__(self, flow: str, name: str) -> None:
        super().__init__(flow)
        self.name = name


class AddAttribute(_AttributeOperation):
    """Add an attribute; `attribute` holds its other options (type, default, options, label and so on)."""

    def __init__(self, flow: str, name: str, attribute: dict[str, Any] | None = None) -> None:
        super().__init__(flow, name)
        self.attribute = copy_options(attribute)

    def forwards(self, design: Design) -> None:
        if not design.has_attribute(self.name):
            design.add_attribute(self.name, self.attribute)

    def backwards(self, design: Design) -> None:
        design.remove_attribute(self.name)

    def describe(self) -> str:
        return f"Add attribute {self.name} to flow {self.flow}"

    @property
    def migration_name_fragment(self) -> str:
        return self.name


class RemoveAttribute(_AttributeOperation):
    """Remove an attribute; `attribute` holds its options for the reverse, which restores no values."""

    def __init__(self, flow: str, name: str, attribute: dict[str, Any] | None = None) -> None:
        super().__init__(flow, name)
        self.attribute = copy_options(attribute)

    def forwards(self, design: Design) -> None:
        design.remove_attribute(self.name)

    def backwards(self, design: Design) -> None:
        if not design.has_attribute(self.name):
            design.add_attribute(self.name, self.attribute)

    def describe(self) -> str:
        return f"Remove attribute {self.name} from flow {self.flow}"

    @property
    def migration_name_fragment(self) -> str:
        return f"remove_{self.name}"


class AlterAttribute(Alteration, _AttributeOperation):
    """Change options of an attribute; `was` holds the previous values for the reverse."""

    def __init__(
        self, flow: str, name: str, changes: dict[str, Any], was: dict[str, Any] | None = None
    ) -> None:
        super().__init__(flow, name)
        self.changes = copy_options(changes)
        self.was = copy_options(was)

    def forwards(self, design: Design) -> None:
        design.alter_attribute(self.name, self.changes)

    def backwards(self, design: Design) -> None:
        design.alter_attribute(self.name, self.was)

    def describe(self) -> str:
        return f"Change {', '.join(self.changes)} of attribute {self.name} of flow {self.flow}"

    @property
    def migration_name_fragment(self) -> str:
        return f"alter_{self.name}"


class RenameAttribute(_AttributeOperation):
    """Rename an attribute; the kernel rewrites the references to it and keeps its values."""

    def __init__(self, flow: str, name: str, new_name: str) -> None:
        super().__init__(flow, name)
        self.new_name = new_name

    def forwards(self, design: Design) -> None:
        self._rename(design, self.name, self.new_name)

    def backwards(self, design: Design) -> None:
        self._rename(design, self.new_name, self.name)

    def _rename(self, design: Design, old: str, new: str) -> None:
        if design.has_attribute(old) or not design.has_attribute(new):
            design.alter_attribute(old, {"name": new})

    def describe(self) -> str:
        return f"Rename attribute {self.name} of flow {self.flow} to {self.new_name}"

    @property
    def migration_name_fragment(self) -> str:
        return f"rename_{self.name}_{self.new_name}"
