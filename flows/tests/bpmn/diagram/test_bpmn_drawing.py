"""Where the names of elements are written in a diagram."""

from __future__ import annotations

import pytest

from flows.languages.bpmn import read
from flows.languages.bpmn.diagram.figures import Drawing, Figure, drawings
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


def shape(element: str, x: int, y: int, width: int, height: int, label: tuple[int, ...] = ()) -> str:
    inner = bounds(*label) if label else ""
    return (
        f'<bpmndi:BPMNShape id="of_{element}" bpmnElement="{element}">{bounds(x, y, width, height)}'
        f"{f'<bpmndi:BPMNLabel>{inner}</bpmndi:BPMNLabel>' if inner else ''}</bpmndi:BPMNShape>"
    )


def bounds(x: int, y: int, width: int, height: int) -> str:
    return f'<dc:Bounds x="{x}" y="{y}" width="{width}" height="{height}"/>'


def edge(element: str, *points: tuple[int, int]) -> str:
    ways = "".join(f'<di:waypoint x="{x}" y="{y}"/>' for x, y in points)
    return f'<bpmndi:BPMNEdge id="of_{element}" bpmnElement="{element}">{ways}</bpmndi:BPMNEdge>'


def drawn(content: str, *places: str, before: str = "", plane: str = "p") -> Drawing:
    layout = (
        f'<bpmndi:BPMNDiagram id="d"><bpmndi:BPMNPlane id="plane" bpmnElement="{plane}">{"".join(places)}'
        "</bpmndi:BPMNPlane></bpmndi:BPMNDiagram>"
    )
    process, _problems = read(file(content, named=before, after=layout))
    assert process is not None
    return drawings(process)[0]


POOL = "credit scoring frontend of the bank"


@pytest.mark.parametrize(("height", "turned"), [(60, False), (90, False), (150, True), (400, True)])
def test_the_name_of_a_pool_is_whole_however_low_it_is(height: int, turned: bool) -> None:
    pools = (
        f'<bpmn:collaboration id="c"><bpmn:participant id="own" name="{POOL}" processRef="p"/>'
        "</bpmn:collaboration>"
    )
    made = drawn(
        node("startEvent", "s"), shape("own", 0, 0, 600, height), shape("s", 60, 20, 36, 36), before=pools,
        plane="c",
    )  # fmt: skip
    (pool,) = made.behind
    assert " ".join(line.text for line in pool.texts) == POOL
    assert {line.turned for line in pool.texts} == {turned}
    longest = max(len(line.text) for line in pool.texts) * 6.4
    assert longest <= (height if turned else 600)


@pytest.mark.parametrize(
    "name", ["Paid", "Delay information received", "Answer of the credit office received"]
)
@pytest.mark.parametrize("place", ["above", "below"])
def test_a_label_touches_its_event_nowhere(place: str, name: str) -> None:
    y = 100 - 16 if place == "above" else 100 + 36 - 6
    made = drawn(
        node("startEvent", "s", name=name), shape("s", 100, 100, 36, 36, (80, y, 76, 14)),
    )  # fmt: skip
    (event,) = made.figures
    assert " ".join(line.text for line in event.texts) == name
    first, last = event.texts[0].y, event.texts[-1].y
    assert last <= 97 if place == "above" else first - 10 >= 136


def test_texts_are_within_the_frame() -> None:
    name = "A very long name of an event at the right side"
    made = drawn(node("startEvent", "s", name=name), shape("s", 0, 0, 36, 36))
    for text in (text for each in made.figures for text in each.texts):
        half = len(text.text) * 3.2
        assert made.x <= text.x - half and text.x + half <= made.x + made.width
        assert made.y <= text.y <= made.y + made.height


def test_edges_show_how_they_begin() -> None:
    """A default flow has a slash, a conditional one of an activity a diamond, a message a circle."""
    pools = (
        '<bpmn:collaboration id="c"><bpmn:participant id="own" processRef="p"/><bpmn:participant id="other"/>'
        '<bpmn:messageFlow id="m" sourceRef="t" targetRef="other"/></bpmn:collaboration>'
    )
    ways = ["s_t", "t_g", "t_e", "g_e", "g_f"]
    made = drawn(
        node("startEvent", "s") + node("task", "t") + node("exclusiveGateway", "g", default="g_f")
        + node("endEvent", "e") + node("endEvent", "f")
        + flows("s t", "t g", "t e =1 = 1", "g e =1 = 2", "g f"),
        *(edge(way, (0, n), (9, n)) for n, way in enumerate([*ways, "m"])), shape("s", 0, 0, 36, 36),
        before=pools, plane="c",
    )  # fmt: skip
    assert {each.element: each.start for each in made.connections} == {
        "s_t": "", "t_g": "", "t_e": "condition", "g_e": "", "g_f": "default", "m": "message",
    }  # fmt: skip
