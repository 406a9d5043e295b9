"""Drawings of files with several planes, with collapsed sub-processes, and with shapes that lack."""

from __future__ import annotations

from collections.abc import Mapping

from flows.languages.bpmn import Process, read
from flows.languages.bpmn.diagram.figures import Drawing, drawings
from flows.tests.bpmn.files.bpmn_files import file, flows, node

INNER = node("startEvent", "us") + node("task", "ut") + node("endEvent", "ue") + flows("us ut", "ut ue")
PARTS = (
    node("startEvent", "s"), node("subProcess", "u", INNER), node("endEvent", "e"), flows("s u", "u e"),
)  # fmt: skip
OUTER = {"s": (0, 0, 36, 36), "u": (80, 0, 100, 80), "e": (240, 0, 36, 36)}
INSIDE = {"us": (0, 0, 36, 36), "ut": (80, 0, 100, 80), "ue": (240, 0, 36, 36)}
Boxes = Mapping[str, tuple[float, ...]]
APART: Boxes = {name: (x, 500, *size) for name, (x, _y, *size) in INSIDE.items()}


def plane(of: str, shapes: Boxes, *edges: str, u: str = 'isExpanded="false"') -> str:
    """Return a diagram with one plane."""
    found = "".join(
        f'<bpmndi:BPMNShape bpmnElement="{name}" {u if name == "u" else ""}>'
        '<dc:Bounds x="{}" y="{}" width="{}" height="{}"/></bpmndi:BPMNShape>'.format(*box)
        for name, box in shapes.items()
    )
    found += "".join(
        f'<bpmndi:BPMNEdge bpmnElement="{edge}"><di:waypoint x="0" y="0"/><di:waypoint x="9" y="9"/>'
        "</bpmndi:BPMNEdge>"
        for edge in edges
    )
    opened = f'<bpmndi:BPMNDiagram><bpmndi:BPMNPlane bpmnElement="{of}">'
    return f"{opened}{found}</bpmndi:BPMNPlane></bpmndi:BPMNDiagram>"


def process(*planes: str) -> Process:
    return read(file(*PARTS, after="".join(planes)))[0]


def elements(drawing: Drawing) -> dict[str, str]:
    """Return what a drawing shows, with its kinds."""
    return {each.element: each.kind for each in (*drawing.behind, *drawing.figures)}


def lines(drawing: Drawing) -> set[str]:
    return {each.element for each in drawing.connections}


def test_the_whole_comes_first_and_a_sub_process_with_its_own_plane_after_it() -> None:
    planes = plane("u", INSIDE, "us_ut", "ut_ue"), plane("p", OUTER, "s_u", "u_e")
    for order in (planes, planes[::-1]):
        first, second = drawings(process(*order))
        assert elements(first) == {"s": "event", "u": "activity", "e": "event"}
        assert elements(second) == {"us": "event", "ut": "activity", "ue": "event"}
        assert (first.name, second.name) == ("", "u")
        assert (lines(first), lines(second)) == ({"s_u", "u_e"}, {"us_ut", "ut_ue"})


def test_a_sub_process_is_closed_where_its_inside_is_elsewhere_whatever_its_shape_says() -> None:
    for said in ("", 'isExpanded="true"', 'isExpanded="false"'):
        first, _second = drawings(process(plane("p", OUTER, u=said), plane("u", INSIDE)))
        assert elements(first)["u"] == "activity"


def test_what_a_closed_sub_process_contains_has_a_drawing_of_its_own() -> None:
    first, second = drawings(process(plane("p", {**OUTER, **APART}, "s_u", "us_ut")))
    assert (set(elements(first)), set(elements(second))) == ({*OUTER}, {*INSIDE})
    assert "us_ut" not in lines(first) and first.height < 200


def test_a_sub_process_is_open_where_its_inside_is_within_its_shape() -> None:
    wide = OUTER | {
        "u": (80, 0, 400, 200),
        "us": (90, 9, 36, 36),
        "ut": (150, 9, 99, 80),
        "ue": (300, 9, 36, 36),
    }
    for said in ("", 'isExpanded="true"', 'isExpanded="false"'):
        (only,) = drawings(process(plane("p", wide, u=said)))
        assert elements(only)["u"] == "subprocess" and {*INSIDE} <= {*elements(only)}


def test_flows_without_a_line_have_a_straight_one() -> None:
    (only,) = drawings(process(plane("p", OUTER, "s_u")))
    assert lines(only) == {"s_u", "u_e"}


def test_a_drawing_that_lacks_elements_is_followed_by_one_with_all() -> None:
    first, second = drawings(process(plane("p", {name: OUTER[name] for name in ("s", "e")})))
    assert set(elements(first)) == {"s", "e"} and set(elements(second)) == {*OUTER, *INSIDE}
    (laid_out,) = drawings(process(plane("p", {})))
    assert set(elements(laid_out)) == {*OUTER, *INSIDE}


def test_unknown_and_repeated_elements_are_left_out() -> None:
    shown = OUTER | {"nowhere": (9_000, 0, 10, 10)}
    (only,) = drawings(process(plane("p", shown, "s_u", "s_u", "lost")))
    assert set(elements(only)) == {*OUTER} and lines(only) == {"s_u", "u_e"}
    assert len(only.connections) == 2 and only.width < 1_000


def test_several_diagrams_of_a_process_are_all_shown() -> None:
    found = drawings(process(plane("p", OUTER), plane("p", OUTER), plane("other", {"nowhere": OUTER["s"]})))
    assert [set(elements(each)) for each in found] == [{*OUTER}, {*OUTER}]
