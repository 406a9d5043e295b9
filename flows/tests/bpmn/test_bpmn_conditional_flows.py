"""Conditions and defaults of the flows that leave each element: each decides, is refused, or is warned of."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from flows.languages.bpmn import BadBpmn, compile_process, read
from flows.languages.bpmn.model import ACTIVITIES, CHOOSING, EVENTS, GATEWAYS
from flows.tests.bpmn.files.bpmn_files import attribute, attributes, event, file, flows, node, timer
from flows.tests.bpmn.files.bpmn_hosts import BUILDS, INNER, Build

_CONDITION = "<bpmn:conditionExpression>n = 1</bpmn:conditionExpression>"
_DATA = attributes(attribute("n", type="integer"))
_OTHER = node("intermediateCatchEvent", "q", timer("P1D")) + flows("h q")
_AGAIN = "<bpmn:standardLoopCharacteristics/>"
_EACH = '<bpmn:multiInstanceLoopCharacteristics isSequential="true"><bpmn:loopCardinality>3'
SPECIAL = ("transaction", "adHocSubProcess")
_EACH += "</bpmn:loopCardinality></bpmn:multiInstanceLoopCharacteristics>"


def _between(tag: str, inner: str = "", *beside: str, **options: str) -> Build:
    return lambda given: file(
        _DATA, node("startEvent", "s"), node(tag, "h", inner, **options, **given), node("endEvent", "e"),
        *beside, flows("s h", "h e"),
        named='<bpmn:signal id="g" name="go"/><bpmn:escalation id="l" escalationCode="L"/>',
    )  # fmt: skip


def _inside(tag: str, host: str, inner: str = "", **options: str) -> Build:
    """Return a process with an element within another one."""
    return lambda given: file(
        _DATA, node("startEvent", "s"), node("endEvent", "e"), flows("s o", "o e"),
        node("subProcess", "o", host + node("startEvent", "b") * (tag != "startEvent")
             + node(tag, "h", inner, **options, **given) + node("endEvent", "z")
             + flows("h z", *["b h"] * (tag != "startEvent"))),
    )  # fmt: skip


def _several_starts(given: dict[str, str]) -> bytes:
    return file(
        _DATA, node("startEvent", "s"), node("startEvent", "h", event("signal", signalRef="g"), **given),
        node("endEvent", "e"), flows("s e", "h e"), named='<bpmn:signal id="g" name="go"/>',
    )  # fmt: skip


def _without_beginning(tag: str) -> Build:
    return lambda given: file(_DATA, node(tag, "h", **given), node("endEvent", "e"), flows("h e"))


def _at(host: str, inner: str, definition: str, named: str = "", **options: str) -> Build:
    return lambda given: file(
        _DATA, node("startEvent", "s"), node(host, "t", inner), node("endEvent", "e"),
        node("boundaryEvent", "h", definition, attachedToRef="t", **options, **given),
        node("task", "after"), flows("s t", "t e", "h after"), named=named,
    )  # fmt: skip


WHERE: dict[str, Build] = {
    **BUILDS,
    "task, loop without end": _between("task", _AGAIN),
    "task, loop without end, tested before": _between("task", _AGAIN.replace("/>", ' testBefore="true"/>')),
    "task, sequential with a timer": _between(
        "task", _EACH, node("boundaryEvent", "late", timer("P1D"), attachedToRef="h"), flows("late e")
    ),
    "sub-process, sequential with a timer": _between(
        "subProcess", INNER + _EACH, node("boundaryEvent", "late", timer("P1D"), attachedToRef="h"),
        flows("late e"),
    ),
    "task with an error event": _between(
        "task", "", node("boundaryEvent", "bad", event("error"), attachedToRef="h"), flows("bad e")
    ),
    "throwing event, signal": _between("intermediateThrowEvent", event("signal", signalRef="g")),
    "throwing event, escalation": _between("intermediateThrowEvent", event("escalation", escalationRef="l")),
    "throwing event, compensation": _between("intermediateThrowEvent", event("compensate")),
    "catching event, signal": _between("intermediateCatchEvent", event("signal", signalRef="g")),
    "catching event, nothing": _between("intermediateCatchEvent"),
    "transaction": _between("transaction", INNER),
    "boundary event that does not interrupt": _at("task", "", timer("P1D"), cancelActivity="false"),
    "boundary event, sub-process": _at("subProcess", INNER, timer("P1D")),
    "one of several start events": _several_starts,
    "start event of a sub-process": _inside("startEvent", ""),
    "throwing event of a sub-process": _inside("intermediateThrowEvent", ""),
    "task of a sub-process": _inside("task", ""),
    "start event of a parallel sub-process": _inside("startEvent", _EACH.replace(' isSequential="true"', "")),
    **{f"{tag} without a start event": _without_beginning(tag) for tag in ("task", "parallelGateway")},
}  # fmt: skip


def with_condition(text: str, flow: str) -> str:
    return re.sub(rf'(<bpmn:sequenceFlow id="{flow}"[^>]*>)', rf"\1{_CONDITION}", text)


def with_default(text: str, flow: str) -> str:
    return re.sub(r'(<bpmn:\w+ id="h")', rf'\1 default="{flow}"', text, count=1)


def cases(text: str) -> Iterator[tuple[str, list[str], str]]:
    """Yield files with the flows of `h` that have a condition, and the flow that is the default."""
    found = re.search(r'<bpmn:sequenceFlow id="(h_\w+)"', text)
    first = found[1] if found else "h_q"
    beside = found[0] if found else "</bpmn:process>"
    two = text.replace(beside, f"{_OTHER}{beside}", 1)
    text = text if found else two
    several = [first, "h_q"] if found else [first]
    for conditional in ([first], several, several[1:], []):
        for default in ("", *several):
            made = two
            for flow in conditional:
                made = with_condition(made, flow)
            yield with_default(made, default) if default else made, conditional, default
    yield with_condition(text, first), [first], ""
    yield with_default(with_condition(text, first), first), [first], first


@pytest.mark.parametrize("where", WHERE)
def test_conditions_and_defaults_decide_or_are_refused_or_warned_of(where: str) -> None:
    """The message names the flow, or the element with the default, and its line."""
    text = WHERE[where]({}).decode()
    tag = re.search(r'<bpmn:(\w+) id="h"([^>]*)', text)
    assert tag is not None
    starts = 'instantiate="true"' in tag[2]  # a start event
    chooses = dict.fromkeys(SPECIAL, "subProcess").get(tag[1], tag[1]) in CHOOSING and not starts
    chooses = chooses and where != "event sub-process"  # which no flow leaves
    for content, conditional, default in cases(text):
        try:
            process, warnings = read(content.encode())
            made = compile_process(process)
        except BadBpmn as error:
            assert {each.element for each in error.problems if each.severity == "error"} == {"h"}, error
            continue
        found = [*warnings, *made.warnings]
        by = {each.element for each in found if each.code == "not_used" and each.line and each.message}
        edges = made.graph.edges.values()
        decided = {edge.path[0] for edge in edges if edge.condition == "n = 1"}
        usual = {edge.path[0] for edge in edges if edge.default}
        several = content.count('sourceRef="h"') > 1
        for flow in conditional:
            assert (flow in decided) == (chooses and flow != default), (conditional, default, found)
            assert (flow in by) != (flow in decided), (conditional, default, found)
        if default and chooses and several and "choice_h" not in str(made.graph.edges):
            assert default in usual, (conditional, default)
        if default and not chooses:
            assert default not in usual and "h" in by, (conditional, default, found)


def test_every_element_with_flows_is_walked_over() -> None:
    """A new kind of element has a row above."""
    walked = {
        tag for build in WHERE.values() for tag in re.findall(r'<bpmn:(\w+) id="h"', build({}).decode())
    }
    assert walked >= {*ACTIVITIES, *GATEWAYS, *EVENTS}
    assert CHOOSING == {*ACTIVITIES, *GATEWAYS} - {"parallelGateway", "eventBasedGateway"}
