"""The names of BPMN, and why some of its elements cannot become a part of a flow."""

from __future__ import annotations

MODEL = "http://www.omg.org/spec/BPMN/20100524/MODEL"
DRAFTS = frozenset({"http://schema.omg.org/spec/BPMN/2.0", "http://www.omg.org/bpmn20"})
"""Namespaces of drafts of BPMN 2.0, which tools of that time still write."""
DIAGRAM = "http://www.omg.org/spec/BPMN/20100524/DI"
BOUNDS = "http://www.omg.org/spec/DD/20100524/DC"
LINES = "http://www.omg.org/spec/DD/20100524/DI"
SCHEMA = "http://www.w3.org/2001/XMLSchema-instance"
OWN = "https://wed-sql.org/bpmn"
ZEEBE, CAMUNDA = "http://camunda.org/schema/zeebe/1.0", "http://camunda.org/schema/1.0/bpmn"
FLOWABLE, ACTIVITI = "http://flowable.org/bpmn", "http://activiti.org/bpmn"
VENDORS = frozenset({ZEEBE, CAMUNDA})
"""Namespaces whose properties can have options: <zeebe:property name="wedsql.timeout" value="1h"/>."""

DRAWN = frozenset({"association", "group", "textAnnotation"})
"""Parts of a process that only a reader of the diagram needs."""
UNUSED = frozenset(
    {"auditing", "correlationSubscription", "dataStoreReference", "ioSpecification", "monitoring"}
    | {"dataInputAssociation", "dataOutputAssociation", "dataInput", "dataOutput", "inputSet", "outputSet"}
    | {"performer", "humanPerformer", "potentialOwner", "property", "rendering", "resourceRole", "supports"}
    | {"ioBinding", "supportedInterfaceRef"}
    | {"inputDataItem", "outputDataItem", "loopDataOutputRef", "complexBehaviorDefinition"}
)
"""Parts that have no effect here; a warning names them."""
QUIET = frozenset({"documentation", "extensionElements", "incoming", "outgoing"})
