"""Every option and every event at every element of BPMN: it becomes a part of the flow, or is refused."""

from __future__ import annotations

import json
import re
from html import escape
from typing import Any

import pytest

from flows.languages.bpmn import BadBpmn, CompiledProcess, compile_process, read
from flows.languages.bpmn.compiler.graph_parts import OPTIONS
from flows.languages.bpmn.model import ACTIVITIES as KINDS
from flows.languages.bpmn.model import EVENTS as EVENT_KINDS
from flows.languages.bpmn.model import GATEWAYS
from flows.tests.bpmn.files.bpmn_hosts import ACTIVITIES, BUILDS, EVENTS, LOOPS, attached, leading_back

SAMPLES = {"text": "x", "interval": "01:00:00", "integer": "3", "smallint": "3", "text[]": "n",
           "jsonb": '{"sections": []}'}  # fmt: skip
ROLES = {"event sub-process", *(each for each in BUILDS if "subprocess" in each.lower())}
"""Elements whose role is that of what they contain."""
ACCEPTED_COMPENSATION = {
    (host, loop)
    for host in {*ACTIVITIES} - {"subProcess", "adHocSubProcess"}
    for loop in {*LOOPS} - {"parallel"}
}


def compiled(content: bytes, element: str = "h") -> CompiledProcess | None:
    """Return what a file becomes; None if it is refused at an element."""
    try:
        process, warnings = read(content)
        assert warnings == []
        return compile_process(process)
    except BadBpmn as error:
        assert {each.element for each in error.problems} == {element}, error
        assert all(len(each.message) > 20 for each in error.problems)
        return None


def values(name: str) -> list[str]:
    option = OPTIONS[name]
    if option.type == "boolean":
        return ["true", "false"]
    return [*option.choices] if getattr(option, "choices", None) else [SAMPLES[option.type]]


def same(value: Any, text: str) -> bool:
    if isinstance(value, dict):
        return json.dumps(value) == text
    found = value if isinstance(value, list) else [value]
    return [str(each).lower() for each in found] == [text]


@pytest.mark.parametrize("where", BUILDS)
def test_an_option_has_an_effect_on_a_rule_of_its_element_or_is_refused(where: str) -> None:
    assert compiled(BUILDS[where]({})) is not None
    for name in OPTIONS:
        for text in values(name):
            found = compiled(BUILDS[where]({f"wedsql_{name}": escape(text)}))
            if found is None or (name == "role" and where in ROLES):
                continue
            rules = found.compiled.definition["triggers"]
            of = [
                rule for rule, node in zip(rules, found.compiled.triggers, strict=True)
                if node is not None and found.graph.nodes[node].path == ("h",)
            ]  # fmt: skip
            assert any(same(rule.get(name), text) for rule in of), (name, text)


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize("kind", EVENTS)
@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("host", ACTIVITIES)
def test_an_event_has_an_effect_at_its_activity_or_is_refused(
    host: str, loop: str, kind: str, beside: bool
) -> None:
    found = compiled(attached(host, loop, kind, beside=beside))
    if kind == "compensate":
        assert found is not None
        undone = (host, loop) in ACCEPTED_COMPENSATION
        rules = found.compiled.definition["triggers"]
        assert {rule["compensated_by"] for rule in rules if rule.get("compensated_by")} == {"u"} & {
            "u" * undone
        }
        assert undone == (not any("Nothing throws" in each.message for each in found.warnings))
    elif found is not None:
        if beside and "error" in kind:
            assert any("interrupts, as BPMN says" in each.message for each in found.warnings)
        ways = {edge for edge in found.graph.edges.values() if edge.source == "h"}
        assert [edge.target for edge in ways] == ["after"] and "h" in found.source_map["transitions"].values()


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize("kind", EVENTS)
@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("host", ACTIVITIES)
def test_an_event_may_lead_back_to_its_activity(host: str, loop: str, kind: str, beside: bool) -> None:
    found = compiled(leading_back(attached(host, loop, kind, beside=beside)))
    for rule in [] if found is None else found.compiled.definition["triggers"]:
        assert rule.get("sets") != "", rule


_LANE = '<bpmn:lane id="la"><bpmn:flowNodeRef>h</bpmn:flowNodeRef></bpmn:lane>'
LANE = f'<bpmn:laneSet id="ls">{_LANE}</bpmn:laneSet>'
NOTE = '<bpmn:textAnnotation id="ta"><bpmn:text>Why</bpmn:text></bpmn:textAnnotation>'


@pytest.mark.parametrize("where", BUILDS)
def test_an_option_of_what_has_no_options_is_refused(where: str) -> None:
    """Flows, lanes, loops, definitions of events, expressions, messages: each element that is no node."""
    text = BUILDS[where]({}).decode()
    text = re.sub("(<bpmn:process[^>]*>)", rf"\1{LANE}{NOTE}", text, count=1)
    assert compiled(text.encode()) is not None
    tried = 0
    for found in re.finditer(r"<bpmn:(\w+)", text):
        if found[1] not in {*KINDS, *EVENT_KINDS, *GATEWAYS, "adHocSubProcess"}:
            stray = f'{text[: found.end()]} wedsql:timeout="5s"{text[found.end() :]}'
            with pytest.raises(BadBpmn) as refused:
                read(stray.encode())
            assert "no option here" in refused.value.problems[0].message, found[1]
            tried += 1
    assert tried >= 8
