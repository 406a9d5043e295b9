"""The options of a flow, of an attribute and of a trigger, declared in one place.

Model fields, forms, comparisons, files, the documentation and the type of `flows.api.flows.definition` are
generated from them; the kernel reads the same options from its tables.
"""

from flows.definition.attribute import ATTRIBUTE, AttributeDefinition
from flows.definition.flow import FLOW, AnyDefinition, Definition
from flows.definition.options import TITLES, Group, Option, Options
from flows.definition.trigger import TRIGGER, TriggerDefinition

__all__ = [
    "ATTRIBUTE",
    "FLOW",
    "TITLES",
    "TRIGGER",
    "AnyDefinition",
    "AttributeDefinition",
    "Definition",
    "Group",
    "Option",
    "Options",
    "TriggerDefinition",
]
