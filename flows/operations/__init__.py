"""Migration operations that change flows, and the one that installs the kernel."""

from flows.operations.attributes import AddAttribute, AlterAttribute, RemoveAttribute, RenameAttribute
from flows.operations.base import FlowOperation
from flows.operations.design import Design, FlowMigrationError
from flows.operations.flows import AlterFlow, CreateFlow, DropFlow
from flows.operations.install import ChangeTables
from flows.operations.triggers import AddTrigger, AlterTrigger, RemoveTrigger

__all__ = [
    "AddAttribute",
    "AddTrigger",
    "AlterAttribute",
    "AlterFlow",
    "AlterTrigger",
    "ChangeTables",
    "CreateFlow",
    "Design",
    "DropFlow",
    "FlowMigrationError",
    "FlowOperation",
    "RemoveAttribute",
    "RemoveTrigger",
    "RenameAttribute",
]

# Migrations import the operations from this package.
for _operation in (
    AddAttribute,
    AddTrigger,
    AlterAttribute,
    AlterFlow,
    AlterTrigger,
    CreateFlow,
    DropFlow,
    RemoveAttribute,
    RemoveTrigger,
    RenameAttribute,
):
    _operation.__module__ = __name__
