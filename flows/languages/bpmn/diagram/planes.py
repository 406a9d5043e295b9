"""The drawings of a file that show a process, put right where its tool left something out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from flows.languages.bpmn.diagram.arrangement import arranged, points
from flows.languages.bpmn.model import Line, Plane, Process, Shape


def shown(process: Process) -> list[Plane]:
    """Return the drawings of a process: those of the whole first, then those of sub-processes.

    Where they lack an element, one that is laid out here follows, with all elements.
    """
    own = [_known(process, plane) for plane in process.planes]
    found = [part for plane in own for part in _divided(process, plane) if _shows(process, part)]
    found.sort(key=lambda plane: len(process.around(_scope(process, plane))))
    found = [_completed(process, plane) for plane in found]
    return found if found and not _missing(process, found) else [*found, arranged(process)]


def _known(process: Process, plane: Plane) -> Plane:
    """Return a drawing without elements that the file does not have, each once."""
    shapes = {each.element: each for each in reversed(plane.shapes) if each.element in process.drawn}
    lines = {each.element: each for each in reversed(plane.lines) if each.element in process.drawn}
    return replace(plane, shapes=(*reversed(shapes.values()),), lines=(*reversed(lines.values()),))


def _shows(process: Process, plane: Plane) -> bool:
    return any(shape.element in process.elements for shape in plane.shapes)


def _scope(process: Process, plane: Plane) -> str | None:
    """Return the sub-process that a drawing shows from inside; None for one of the whole."""
    return plane.element if plane.element in process.elements else None


def _divided(process: Process, plane: Plane) -> Iterator[Plane]:
    """Return a drawing, and one for each collapsed sub-process in it whose elements lie elsewhere in it."""
    hidden: dict[str, str] = {}
    places = {each.element: each for each in plane.shapes}
    collapsed = {each.element for each in plane.shapes if not each.expanded and each.element != plane.element}
    for shape in plane.shapes:
        scopes = _scopes(process, shape.element)
        outer = next((scope for scope in scopes if scope in collapsed), None)
        if outer is not None and not _within(shape, places[outer]):
            hidden[shape.element] = outer
    for flow in process.flows.values():
        if flow.source in hidden and flow.target in hidden:
            hidden[flow.id] = hidden[flow.source]
    for scope in (None, *dict.fromkeys(hidden.values())):
        shapes = (each for each in plane.shapes if hidden.get(each.element) == scope)
        lines = (each for each in plane.lines if hidden.get(each.element) == scope)
        yield Plane(plane.element if scope is None else scope, (*shapes,), (*lines,))


def _scopes(process: Process, element: str) -> list[str]:
    """Return the sub-processes that contain an element, the innermost first."""
    found = process.elements.get(element)
    return process.around(found.scope) if found is not None else []


def _within(shape: Shape, outer: Shape) -> bool:
    """Return whether the middle of a shape is in another one."""
    x, y = shape.x + shape.width / 2, shape.y + shape.height / 2
    return outer.x <= x <= outer.x + outer.width and outer.y <= y <= outer.y + outer.height


def _completed(process: Process, plane: Plane) -> Plane:
    """Return a drawing with lines for the flows between its elements that have none.

    A sub-process is open where the drawing shows what it contains.
    """
    places = {each.element: each for each in plane.shapes}
    lined = {each.element for each in plane.lines}
    lines = (
        Line(flow.id, points(places[flow.source], places[flow.target], [*plane.shapes]))
        for flow in process.flows.values()
        if flow.id not in lined and flow.source in places and flow.target in places
    )
    opened = {scope for element in places for scope in _scopes(process, element)[:1]}
    filled = {each.scope for each in process.elements.values()}
    shapes = (
        replace(each, expanded=each.element in opened or (each.expanded and each.element not in filled))
        for each in plane.shapes
    )
    return replace(plane, shapes=(*shapes,), lines=(*plane.lines, *lines))


def _missing(process: Process, planes: list[Plane]) -> bool:
    """Return whether an element is nowhere, and not in a sub-process of which only the outside is shown."""
    shapes = {each.element: each for plane in planes for each in plane.shapes}
    closed = {name for name, shape in shapes.items() if not shape.expanded}
    return any(
        element not in shapes and not closed.intersection(_scopes(process, element))
        for element in process.elements
    )
