"""Where the names of elements are written in a diagram."""

from __future__ import annotations

from flows.languages.bpmn import read
from flows.languages.bpmn.diagram.figures import Figure, drawings
from flows.languages.bpmn.diagram.marks import MARKERS
from flows.tests.bpmn.files.bpmn_files import file, flows, node

PLACES = (
    '<bpmndi:BPMNDiagram id="d"><bpmndi:BPMNPlane id="plane" bpmnElement="p">'
    '<bpmndi:BPMNShape id="s1" bpmnElement="begin"><dc:Bounds x="0" y="0" width="36" height="36"/>'
    "</bpmndi:BPMNShape>"
    '<bpmndi:BPMNShape id="s2" bpmnElement="remind"><dc:Bounds x="80" y="0" width="100" height="80"/>'
    "</bpmndi:BPMNShape>"
    '<bpmndi:BPMNShape id="s3" bpmnElement="stock"><dc:Bounds x="220" y="15" width="50" height="50"/>'
    '<bpmndi:BPMNLabel><dc:Bounds x="212" y="-7" width="66" height="14"/></bpmndi:BPMNLabel>'
    "</bpmndi:BPMNShape></bpmndi:BPMNPlane></bpmndi:BPMNDiagram>"
)


def figures(remind: str) -> dict[str, Figure]:
    process, _problems = read(
        file(
            node("startEvent", "begin"),
            node("serviceTask", "remind", name=remind),
            node("exclusiveGateway", "stock", name="All in stock?"),
            flows("begin remind", "remind stock"),
            after=PLACES,
        )
    )
    assert process is not None
    return {figure.element: figure for figure in drawings(process)[0].figures}


def test_a_label_has_as_few_lines_as_in_the_modeller() -> None:
    assert [line.text for line in figures("Remind")["stock"].texts] == ["All in stock?"]


def test_a_long_name_of_a_task_is_below_its_mark() -> None:
    long, short = (figures(name)["remind"].texts for name in ("Remind the head of the warehouse", "Remind"))
    assert len(long) == 3 and long[0].y >= 36 and long[-1].y < 80
    assert short[0].y == 44


def test_activities_show_how_they_are_repeated_and_what_is_inside() -> None:
    loops = {
        "many": "<bpmn:multiInstanceLoopCharacteristics><bpmn:loopCardinality>3</bpmn:loopCardinality>"
        "</bpmn:multiInstanceLoopCharacteristics>",
        "again": "<bpmn:standardLoopCharacteristics><bpmn:loopCondition>=1 &gt; 2</bpmn:loopCondition>"
        "</bpmn:standardLoopCharacteristics>",
    }
    loops["serial"] = loops["many"].replace("istics>", 'istics isSequential="true">', 1)
    names = [*loops, "called", "once"]
    process, _problems = read(
        file(
            node("startEvent", "begin"),
            *(node("userTask", name, loop) for name, loop in loops.items()),
            node("callActivity", "called", loops["many"], calledElement="other"),
            node("userTask", "once"),
            flows(*(f"{a} {b}" for a, b in zip(["begin", *names], names, strict=False))),
        )
    )
    assert process is not None
    found = {figure.element: figure for figure in drawings(process)[0].figures}
    known = {path: name for name, path in MARKERS.items()}
    shown = {name: [known[path] for path in found[name].markers] for name in names}
    assert shown == {
        "many": ["parallel"], "again": ["loop"], "serial": ["sequential"],
        "called": ["parallel", "inside"], "once": [],
    }  # fmt: skip
    assert found["called"].thick and not found["once"].thick
    (_bars, left, y), (_plus, right, _y) = found["called"].below
    box = found["called"]
    assert box.x < left < box.middle[0] < right and box.y < y < box.y + box.height
