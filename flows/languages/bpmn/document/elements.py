"""What is read of each element of BPMN: the elements in it, and its attributes. All else has no effect."""

from __future__ import annotations

from collections.abc import Iterator

from flows.languages.bpmn.document.vocabulary import DRAWN, MODEL, QUIET, UNUSED
from flows.languages.bpmn.document.xml import Tag
from flows.languages.bpmn.model import ACTIVITIES, EVENTS, GATEWAYS, TASKS

_EVERYWHERE = QUIET | UNUSED
"""Elements that may be in all; there is a warning of the unused ones."""
_LOOPS = frozenset({"standardLoopCharacteristics", "multiInstanceLoopCharacteristics"})
_ONCE = _LOOPS | {"script", "activationCondition", "conditionExpression", "loopCondition", "loopCardinality"}
_WITHIN: dict[str, frozenset[str]] = {
    **dict.fromkeys(ACTIVITIES, _LOOPS),
    "scriptTask": _LOOPS | {"script"},
    "complexGateway": frozenset({"activationCondition"}),
    "sequenceFlow": frozenset({"conditionExpression"}),
    "timerEventDefinition": frozenset({"timeDate", "timeDuration", "timeCycle"}),
    "conditionalEventDefinition": frozenset({"condition"}),
    "standardLoopCharacteristics": frozenset({"loopCondition"}),
    "multiInstanceLoopCharacteristics": frozenset(
        {"loopCardinality", "completionCondition", "loopDataInputRef"}
    ),
    "laneSet": frozenset({"lane"}),
    "lane": frozenset({"flowNodeRef", "childLaneSet", "partitionElement"}),
    "childLaneSet": frozenset({"lane"}),
    "textAnnotation": frozenset({"text"}),
}
"""The elements that are read within an element."""
_ANY = frozenset({"process", "subProcess"})
"""Elements of which the reader refuses the parts that it does not know."""
_DEFAULTS = {
    "isForCompensation": "false", "triggeredByEvent": "false", "parallelMultiple": "false", "behavior": "All",
    "instantiate": "false", "cancelActivity": "true", "isInterrupting": "true", "startQuantity": "1",
    "completionQuantity": "1", "eventGatewayType": "Exclusive", "testBefore": "false",
    "isSequential": "false", "waitForCompletion": "true",
}  # fmt: skip
"""Attributes that say nothing with this value."""
_DESCRIBES = frozenset(
    {"id", "name", "gatewayDirection", "implementation", "isImmediate", "language", "evaluatesToTypeRef"}
)
"""Attributes that may be at all elements: they only describe."""
_ATTRIBUTES: dict[str, frozenset[str]] = {
    **dict.fromkeys(ACTIVITIES, frozenset({"default", "isForCompensation"})),
    **dict.fromkeys(EVENTS, frozenset()), **dict.fromkeys(GATEWAYS, frozenset({"default"})),
    "parallelGateway": frozenset(), "eventBasedGateway": frozenset(),
    "subProcess": frozenset({"default", "isForCompensation", "triggeredByEvent"}),
    "callActivity": frozenset({"default", "isForCompensation", "calledElement"}),
    "scriptTask": frozenset({"default", "isForCompensation", "scriptFormat"}),
    "receiveTask": frozenset({"default", "isForCompensation", "messageRef", "instantiate"}),
    "startEvent": frozenset({"isInterrupting"}),
    "boundaryEvent": frozenset({"attachedToRef", "cancelActivity"}),
    "compensateEventDefinition": frozenset({"activityRef", "waitForCompletion"}),
    "messageEventDefinition": frozenset({"messageRef"}), "errorEventDefinition": frozenset({"errorRef"}),
    "standardLoopCharacteristics": frozenset({"testBefore", "loopMaximum"}),
    "multiInstanceLoopCharacteristics": frozenset({"isSequential"}),
}  # fmt: skip
"""The attributes that are read of an element; the reader refuses some of them with other values."""
_CHECKED = frozenset({"startQuantity", "completionQuantity"})
"""Attributes of which the reader refuses any other value, wherever they are."""


def is_read(tag: Tag, owner: Tag) -> bool:
    """Return whether an element of BPMN is read within another one."""
    if tag.name in _ONCE and any(_same(tag, each) for each in _before(tag, owner)):
        return False
    if owner.space != MODEL or owner.name in _ANY or (owner.name in DRAWN and owner.name != "textAnnotation"):
        return True
    if owner.name in EVENTS and (tag.name.endswith("EventDefinition") or tag.name == "eventDefinitionRef"):
        return True
    known = _WITHIN.get(owner.name)
    if known is None and owner.name not in {*TASKS, *EVENTS, *GATEWAYS}:
        return True
    return tag.name in _EVERYWHERE or tag.name in (known or ())


def unread_attributes(tag: Tag, owner: Tag) -> Iterator[str]:
    """Return the attributes of an element of BPMN that have no effect there."""
    known = _ATTRIBUTES.get(tag.name)
    if known is None:
        return
    if tag.name == "startEvent" and not owner.flag("triggeredByEvent"):
        known = frozenset()
    definitions = [each for each in tag.children if each.name.endswith(("EventDefinition", "DefinitionRef"))]
    if len(definitions) > 1 and tag.name not in ("endEvent", "intermediateThrowEvent"):
        known |= {"parallelMultiple"}
    if tag.name == "eventBasedGateway" and tag.flag("instantiate"):
        known |= {"eventGatewayType", "instantiate"}
    for space, name in tag.attributes:
        value = tag.get(name)
        if not space and name not in _DESCRIBES | known | _CHECKED and value != _DEFAULTS.get(name):
            yield name


def _same(tag: Tag, other: Tag) -> bool:
    return other.space == MODEL and (other.name == tag.name or {tag.name, other.name} <= _LOOPS)


def _before(tag: Tag, owner: Tag) -> Iterator[Tag]:
    for each in owner.children:
        if each is tag:
            return
        yield each
