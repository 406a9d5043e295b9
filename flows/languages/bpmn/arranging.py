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
        Line(flow.id, _points(places[flow.source], places[flow.target])) for flow in process.flows.values()
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
    """Return the column of each element: the fewest steps from a start; boundary events have none."""
    inner = [each for each in process.inner(scope) if not each.attached]
    following: dict[str, list[str]] = {each.id: [] for each in inner}
    entered = set()
    for flow in process.flows.values():
        source = process.elements[flow.source].attached or flow.source
        if source in following:
            following[source].append(flow.target)
            entered.add(flow.target)
    found: dict[str, int] = {}
    pending = [(each.id, 0) for each in inner if each.id not in entered]
    while pending:
        name, rank = pending.pop(0)
        if name not in found:
            found[name] = rank
            pending += ((target, rank + 1) for target in following[name] if target in following)
    return found | {each.id: 0 for each in inner if each.id not in found}


def _at_borders(process: Process, places: Mapping[str, Shape]) -> Iterator[Shape]:
    """Return the boundary events, at the lower border of their activities."""
    for element in process.elements.values():
        host = places.get(element.attached)
        if host is not None:
            number = process.boundary(element.attached).index(element)
            width, height = _SIZES["event"]
            x = host.x + host.width - (number + 1) * (width + 4)
            yield Shape(element.id, x, host.y + host.height - height / 2, width, height)


def _points(source: Shape, target: Shape) -> tuple[tuple[float, float], ...]:
    start = (source.x + source.width, source.y + source.height / 2)
    end = (target.x, target.y + target.height / 2)
    if end[0] < start[0]:  # back: below both
        below = max(source.y + source.height, target.y + target.height) + _ROW / 2
        middle = source.x + source.width / 2, target.x + target.width / 2
        return (
            (middle[0], source.y + source.height), (middle[0], below), (middle[1], below),
            (middle[1], target.y + target.height),
        )  # fmt: skip
    if start[1] == end[1]:
        return start, end
    half = (start[0] + end[0]) / 2
    return start, (half, start[1]), (half, end[1]), end


def _moved(shape: Shape, x: float, y: float) -> Shape:
    return replace(shape, x=shape.x + x, y=shape.y + y)
