"""The layout of a diagram, as the file has it."""

from __future__ import annotations

from collections.abc import Iterator

from flows.languages.bpmn.document.vocabulary import BOUNDS, DIAGRAM, LINES
from flows.languages.bpmn.document.xml import Tag, local
from flows.languages.bpmn.model import Line, Plane, Shape

_FARTHEST = 1_000_000.0
Box = tuple[float, float, float, float]


def planes(root: Tag) -> tuple[Plane, ...]:
    """Return the drawings of a file; shapes without a readable place are left out."""
    found = []
    for diagram in root.of(DIAGRAM, "BPMNDiagram"):
        for plane in diagram.of(DIAGRAM, "BPMNPlane"):
            shapes, lines = tuple(_shapes(plane)), tuple(_lines(plane))
            found.append(Plane(local(plane.get("bpmnElement")), shapes, lines))
    return tuple(found)


def _shapes(plane: Tag) -> Iterator[Shape]:
    for tag in plane.of(DIAGRAM, "BPMNShape"):
        box = _box(tag)
        if box is not None:
            horizontal = tag.flag("isHorizontal", True)
            expanded = tag.flag("isExpanded", True)
            yield Shape(local(tag.get("bpmnElement")), *box, horizontal, expanded, _label(tag))


def _lines(plane: Tag) -> Iterator[Line]:
    for tag in plane.of(DIAGRAM, "BPMNEdge"):
        points = [_numbers(point, "x", "y") for point in tag.of(LINES, "waypoint")]
        if len(points) > 1 and all(points):
            pairs = tuple((point[0], point[1]) for point in points if point)
            yield Line(local(tag.get("bpmnElement")), pairs, _label(tag))


def _label(tag: Tag) -> Box | None:
    return next((_box(label) for label in tag.of(DIAGRAM, "BPMNLabel")), None)


def _box(tag: Tag) -> Box | None:
    for bounds in tag.of(BOUNDS, "Bounds"):
        found = _numbers(bounds, "x", "y", "width", "height")
        if found is not None:
            return found[0], found[1], max(found[2], 0.0), max(found[3], 0.0)
    return None


def _numbers(tag: Tag, *names: str) -> list[float] | None:
    try:
        found = [float(tag.get(name)) for name in names]
    except ValueError:
        return None
    return found if all(abs(number) <= _FARTHEST for number in found) else None
