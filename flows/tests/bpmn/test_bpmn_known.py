"""Every element and attribute of BPMN at every element: it has an effect, or a warning or refusal says no."""

from __future__ import annotations

import re

import pytest

from flows.languages.bpmn import BadBpmn, compile_process, read
from flows.tests.bpmn.files.bpmn_files import event, file, flows, node, timer
from flows.tests.bpmn.files.bpmn_hosts import BUILDS, EVENTS

_EXTENSION = "<bpmn:extensionElements>{}</bpmn:extensionElements>"
LOOPS = {
    "several": "<bpmn:multiInstanceLoopCharacteristics><bpmn:loopCardinality>3</bpmn:loopCardinality>"
    "</bpmn:multiInstanceLoopCharacteristics>",
    "loop": '<bpmn:standardLoopCharacteristics loopMaximum="3"/>',
}
EXPRESSIONS = ("script", "activationCondition", "completionCondition", "condition",
               "conditionExpression", "timeCycle", "timeDuration", "timeDate", "loopCardinality",
               "loopCondition", "text")  # fmt: skip
REFERENCES = ("operationRef", "signalRef", "messageRef", "eventDefinitionRef", "unheardOf", "ioSpecification")
PARTS = {
    **LOOPS, **EVENTS, "timer": timer("P2D"), "signal": event("signal"), "terminate": event("terminate"),
    "link": event("link", name="q"), "escalation": event("escalation"), "cancel": event("cancel"),
    **{name: f"<bpmn:{name}>n = 2</bpmn:{name}>" for name in EXPRESSIONS},
    **{name: f"<bpmn:{name}>x</bpmn:{name}>" for name in REFERENCES},
    "task": '<bpmn:task id="zz"/>', "flow": '<bpmn:sequenceFlow id="zf" sourceRef="s" targetRef="e"/>',
    "data object": '<bpmn:dataObject id="do" name="zz"/>',
    "attribute": _EXTENSION.format('<wedsql:attribute name="fresh"/>'),
    "form": _EXTENSION.format('<zeebe:formDefinition formKey="x"/>'),
    "job": _EXTENSION.format('<zeebe:taskDefinition type="xx"/>'),
    "subscription": _EXTENSION.format('<zeebe:subscription correlationKey="=n"/>'),
    "zeebe script": _EXTENSION.format('<zeebe:script expression="=2" resultVariable="n"/>'),
    "assignment": _EXTENSION.format('<zeebe:assignmentDefinition assignee="ana"/>'),
}  # fmt: skip
ATTRIBUTES = {
    "instantiate": "true", "operationRef": "x", "startQuantity": "2", "completionQuantity": "2",
    "messageRef": "m", "errorRef": "x", "calledElement": "zz", "cancelActivity": "false",
    "isInterrupting": "false", "parallelMultiple": "true", "triggeredByEvent": "true", "isSequential": "true",
    "isForCompensation": "true", "eventGatewayType": "Parallel", "scriptFormat": "sql", "behavior": "One",
    "loopMaximum": "3", "testBefore": "true", "unheard": "x", "camunda_assignee": "ana",
    "camunda_asyncBefore": "true", "camunda_type": "external", "camunda_topic": "xx", "camunda_formKey": "k",
    "camunda_resultVariable": "n", "camunda_class": "x",
}  # fmt: skip
# An escalation that nothing around it catches has no effect by BPMN.
BY_STANDARD = {("throwing event", "escalation"), ("end event", "escalation")}
OPEN = re.compile(r'<bpmn:(\w+) id="h" [^>]*>')


def said_or_done(content: bytes, where: str) -> bool:
    """Return whether a file is refused, warned of, or another flow than the host by itself."""
    try:
        process, warnings = read(content)
        found = compile_process(process)
    except BadBpmn:
        return True
    alone = compile_process(read(BUILDS[where]({}))[0])
    return bool(warnings or found.warnings) or found.compiled.definition != alone.compiled.definition


@pytest.mark.parametrize("where", BUILDS)
def test_no_part_of_an_element_is_dropped_silently(where: str) -> None:
    text = BUILDS[where]({}).decode()
    found = OPEN.search(text)
    assert found is not None
    own = text[found.end() : text.index(f"</bpmn:{found[1]}>", found.end())]
    for name, part in PARTS.items():
        changed = text[: found.end()] + part + text[found.end() :]
        if (where, name) not in BY_STANDARD:
            assert said_or_done(changed.encode(), where) or part in own, name


@pytest.mark.parametrize("where", BUILDS)
def test_no_attribute_of_an_element_is_dropped_silently(where: str) -> None:
    text = BUILDS[where]({}).decode()
    found = OPEN.search(text)
    assert found is not None
    for name, value in ATTRIBUTES.items():
        given = f'{name.replace("_", ":", 1)}="{value}"'
        if f" {name}=" not in found[0]:
            changed = f"{text[: found.end() - 1]} {given}{text[found.end() - 1 :]}"
            assert said_or_done(changed.encode(), where), given


@pytest.mark.parametrize(
    ("part", "said"),
    [("sequenceFlow", "<bpmn:condition>n = 1</bpmn:condition>"),
     ("timerEventDefinition", "<bpmn:timeOut>P1D</bpmn:timeOut>"),
     ("multiInstanceLoopCharacteristics", "<bpmn:loopCondition>n = 1</bpmn:loopCondition>"),
     ("standardLoopCharacteristics", "<bpmn:completionCondition>n = 1</bpmn:completionCondition>")],
)  # fmt: skip
def test_what_nothing_reads_within_a_part_is_warned_of(part: str, said: str) -> None:
    hosts = {"task parallel", "task loop", "catching event, timer"}
    texts = [BUILDS[where]({}).decode() for where in hosts]
    text = next(each for each in texts if f"<bpmn:{part}" in each)
    text = re.sub(rf"<bpmn:{part}([^>]*)/>", rf"<bpmn:{part}\1></bpmn:{part}>", text)
    _process, warnings = read(re.sub(rf"(<bpmn:{part}[^>]*>)", rf"\1{said}", text, count=1).encode())
    assert [each.code for each in warnings] == ["not_used"]


def test_what_only_describes_is_not_warned_of() -> None:
    content = file(
        node("startEvent", "s", "<bpmn:documentation>Why</bpmn:documentation>", parallelMultiple="false"),
        node("serviceTask", "t", implementation="##WebService", startQuantity="1", isForCompensation="false"),
        node("exclusiveGateway", "g", gatewayDirection="Diverging"), node("endEvent", "e"),
        flows("s t", "t g", "g e"),
    )  # fmt: skip
    assert read(content)[1] == []
