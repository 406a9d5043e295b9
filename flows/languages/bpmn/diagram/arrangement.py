"""A layout for a process that has none: from left to right, in the order of its flows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from flows.languages.bpmn.model import EVENTS, GATEWAYS, Line, Plane, Process, Shape

_SIZES = {"event": (36.0, 36.0), "gateway": (50.0, 50.0), "activity": (100.0, 80.0)}
_COLUMN, _ROW, _BORDER = 60.0, 40.0, 40.0


@dataclass(frozen=True)
class _Block:
    """A group of shapes with its size, from (0, 0)."""

    width: float
    height: float
    shapes: tuple[Shape, ...]


def arranged(process: Process) -> Plane:
    """Return a drawing of a process: a column for each number of steps from a start."""
    shapes = [_moved(shape, 100.0, 100.0) for shape in _block(process, None).shapes]
    places = {shape.element: shape for shape in shapes}
    events = [*_at_borders(process, places)]
    places |= {shape.element: shape for shape in events}
    lines = [
        Line(flow.id, points(places[flow.source], places[flow.target], shapes))
        for flow in process.flows.values()
    ]
    return Plane(process.id, (*shapes, *events), tuple(lines))


def _block(process: Process, scope: str | None) -> _Block:
    """Return the shapes of a sub-process, or of the process itself, column by column."""
    ranks = _ranks(process, scope)
    columns: dict[int, list[_Block]] = {}
    for element, rank in ranks.items():
        columns.setdefault(rank, []).append(_one(process, element))
    height = max((_height(column) for column in columns.values()), default=0.0)
    x, shapes = 0.0, []
    for rank in sorted(columns):
        width = max(block.width for block in columns[rank])
        y = (height - _height(columns[rank])) / 2
        for block in columns[rank]:
            shapes += [_moved(shape, x + (width - block.width) / 2, y) for shape in block.shapes]
            y += block.height + _ROW
        x += width + _COLUMN
    return _Block(max(x - _COLUMN, 0.0), height, tuple(shapes))


def _one(process: Process, element: str) -> _Block:
    tag = process.elements[element].tag
    if tag != "subProcess":
        width, height = _SIZES[_form(tag)]
        return _Block(width, height, (Shape(element, 0.0, 0.0, width, height),))
    inner = _block(process, element)
    width, height = inner.width + 2 * _BORDER, inner.height + 2 * _BORDER
    around = Shape(element, 0.0, 0.0, width, height)
    return _Block(width, height, (around, *(_moved(shape, _BORDER, _BORDER) for shape in inner.shapes)))


def _form(tag: str) -> str:
    return "event" if tag in EVENTS else "gateway" if tag in GATEWAYS else "activity"


def _height(column: Iterable[_Block]) -> float:
    heights = [block.height for block in column]
    return sum(heights) + _ROW * (len(heights) - 1)


def _ranks(process: Process, scope: str | None) -> dict[str, int]:
    """Return the column of each element: the most steps from a start, without the flows that lead back.

    Boundary events have none.
    """
    inner = [each for each in process.inner(scope) if not each.attached]
    following: dict[str, list[str]] = {each.id: [] for each in inner}
    entered = set()
    for flow in process.flows.values():
        source = process.elements[flow.source].attached or flow.source
        if source in following and flow.target in following:
            following[source].append(flow.target)
            entered.add(flow.target)
    starts = [each.id for each in inner if each.id not in entered]
    order = _order([*starts, *following], following)
    place = {name: number for number, name in enumerate(order)}
    found = dict.fromkeys(order, 0)
    for name in order:
        for target in following[name]:
            if place[target] > place[name]:
                found[target] = max(found[target], found[name] + 1)
    return found


def _order(roots: Iterable[str], following: Mapping[str, list[str]]) -> list[str]:
    """Return all elements, each before those that follow it, except by a flow that leads back."""
    left: list[str] = []
    entered: set[str] = set()
    pending = [(root, False) for root in reversed([*roots])]
    while pending:
        name, done = pending.pop()
        if done:
            left.append(name)
        elif name not in entered:
            entered.add(name)
            pending.append((name, True))
            pending += [(target, False) for target in reversed(following[name])]
    return left[::-1]


def _at_borders(process: Process, places: Mapping[str, Shape]) -> Iterator[Shape]:
    """Return the boundary events, at the lower border of their activities."""
    for element in process.elements.values():
        host = places.get(element.attached)
        if host is not None:
            number = process.boundary(element.attached).index(element)
            width, height = _SIZES["event"]
            x = host.x + host.width - (number + 1) * (width + 4)
            yield Shape(element.id, x, host.y + host.height - height / 2, width, height)


def _between(source: Shape, target: Shape, shapes: Iterable[Shape]) -> list[Shape]:
    """Return the shapes through which a line from one to the other would lead."""
    middles = source.y + source.height / 2, target.y + target.height / 2
    return [
        each
        for each in shapes
        if source.x + source.width < each.x
        and each.x + each.width < target.x
        and each.y <= max(middles)
        and each.y + each.height >= min(middles)
    ]


def points(source: Shape, target: Shape, shapes: list[Shape]) -> tuple[tuple[float, float], ...]:
    """Return a line from one shape to another that passes through no other one."""
    x = source.x + source.width / 2
    if source is not target and abs(x - target.x - target.width / 2) < 1:  # one below the other
        if source.y < target.y:
            return (x, source.y + source.height), (x, target.y)
        return (x, source.y), (x, target.y + target.height)
    start = (source.x + source.width, source.y + source.height / 2)
    end = (target.x, target.y + target.height / 2)
    if end[0] < start[0] or _between(source, target, shapes):
        return _around(start, end, shapes)
    if start[1] == end[1]:
        return start, end
    half = (start[0] + end[0]) / 2
    return start, (half, start[1]), (half, end[1]), end


def _around(
    start: tuple[float, float], end: tuple[float, float], shapes: list[Shape]
) -> tuple[tuple[float, float], ...]:
    """Return a line through the gaps beside two columns, and above or below all that is between them."""
    first, last = sorted((start[0], end[0]))
    inner = [each for each in shapes if not (each.x < first and each.x + each.width > last)]
    behind = [each.x + each.width for each in inner if each.x < start[0] <= each.x + each.width]
    before = [each.x for each in inner if each.x <= end[0] < each.x + each.width]
    left = max(behind, default=start[0]) + _COLUMN / 4
    right = min(before, default=end[0]) - _COLUMN / 4
    first, last = sorted((left, right))
    passed = [each for each in inner if each.x < last and each.x + each.width > first]
    gap = _ROW / 2 if start[0] < end[0] else _ROW * 0.75  # one that leads back does not lie on another
    above = min((each.y for each in passed), default=start[1]) - gap
    below = max((each.y + each.height for each in passed), default=start[1]) + gap
    y = above if start[1] - above <= below - start[1] else below
    return start, (left, start[1]), (left, y), (right, y), (right, end[1]), end


def _moved(shape: Shape, x: float, y: float) -> Shape:
    return replace(shape, x=shape.x + x, y=shape.y + y)
