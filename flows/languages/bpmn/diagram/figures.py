"""The diagram of a process as figures: outlines, lines and texts with their places, without colours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flows.languages.bpmn.diagram.marks import EVENT_MARKS, GATEWAY_MARKS, MARKERS, TASK_MARKS
from flows.languages.bpmn.diagram.planes import shown
from flows.languages.bpmn.model import (
    ACTIVITIES,
    EVENTS,
    GATEWAYS,
    TASKS,
    Element,
    Line,
    Plane,
    Process,
    Shape,
)
from flows.languages.bpmn.titles import titles

_LETTER, _LINE, _MARGIN = 6.4, 14.0, 24.0
_MOST_LINES = 4
_LABEL = 90.0  # modellers wrap a label at this width, and write the smaller one of its lines
_BELOW_MARK = 36.0
_GAP = 4.0
_LINES_OF_POOL = 2  # as many as beside the elements of a pool
_KINDS = {
    "participant": "pool", "lane": "lane", "textAnnotation": "note", "group": "group",
    "dataObjectReference": "data", "dataObject": "data", "dataStoreReference": "data",
}  # fmt: skip


@dataclass(frozen=True)
class Text:
    """One line of a text, in the middle of x unless `start` is true; `turned` ones are read upwards."""

    x: float
    y: float
    text: str
    start: bool = False
    turned: bool = False


@dataclass(frozen=True)
class Figure:
    """One node: its kind, outline and name, and the markers at its lower border.

    `double` is the border of an event, `thick` also that of a call activity, `dashed` also that of an event
    sub-process.
    """

    element: str
    kind: str
    name: str
    x: float
    y: float
    width: float
    height: float
    texts: tuple[Text, ...] = ()
    mark: str = ""
    filled: bool = False
    thick: bool = False
    double: bool = False
    dashed: bool = False
    markers: tuple[str, ...] = ()

    @property
    def below(self) -> list[tuple[str, float, float]]:
        """Return the markers with their places: side by side, in the middle of the lower border."""
        first, y = self.middle[0] - 9 * (len(self.markers) - 1), self.y + self.height - 10
        return [(path, first + 18 * n, y) for n, path in enumerate(self.markers)]

    @property
    def middle(self) -> tuple[float, float]:
        """Return the point in the middle."""
        return self.x + self.width / 2, self.y + self.height / 2

    @property
    def corners(self) -> str:
        """Return the points of a diamond."""
        x, y = self.middle
        points = ((x, self.y), (self.x + self.width, y), (x, self.y + self.height), (self.x, y))
        return " ".join(f"{a:g},{b:g}" for a, b in points)

    @property
    def right(self) -> float:
        """Return where a number is written: at the upper right corner."""
        return self.x + self.width

    @property
    def above(self) -> float:
        """Return the base line of that number."""
        return self.y + 4

    @property
    def place(self) -> str:
        """Return where the mark is drawn: in the middle, in a task at the upper left corner."""
        x, y = (self.x + 16, self.y + 15) if self.kind == "activity" else self.middle
        return f"translate({x:g} {y:g}) scale(0.9)"

    @property
    def inner(self) -> float:
        """Return the radius of the second circle of an event."""
        return self.radius - 4

    @property
    def radius(self) -> float:
        """Return the radius of a circle."""
        return min(self.width, self.height) / 2


@dataclass(frozen=True)
class Connection:
    """One edge with its name; links to it have its `anchor`, if it has one.

    `start` is what is drawn where it begins: the slash of a default flow, the diamond of a conditional one
    that leaves an activity, or the circle of a message.
    """

    element: str
    kind: str
    points: str
    texts: tuple[Text, ...] = ()
    anchor: str = ""
    start: str = ""


@dataclass(frozen=True)
class Drawing:
    """A diagram: its frame, what is behind (pools, lanes, sub-processes), the edges, and the other nodes.

    `name` is that of the sub-process that it shows from inside.
    """

    x: float
    y: float
    width: float
    height: float
    behind: tuple[Figure, ...]
    connections: tuple[Connection, ...]
    figures: tuple[Figure, ...]
    name: str = ""


def drawings(process: Process) -> list[Drawing]:
    """Return the diagrams of a process: those of its file, or one that is laid out here."""
    return [_drawing(process, plane) for plane in shown(process)]


def _drawing(process: Process, plane: Plane) -> Drawing:
    figures = [figure for shape in plane.shapes if (figure := _figure(process, shape)) is not None]
    behind = tuple(each for each in figures if each.kind in ("pool", "lane", "group", "subprocess"))
    lines = tuple(_connection(process, line) for line in plane.lines)
    points = [point for line in plane.lines for point in line.points]
    points += [(each.x, each.y) for each in figures]
    points += [(each.x + each.width, each.y + each.height) for each in figures]
    texts = [
        *(text for each in figures for text in each.texts),
        *(text for each in lines for text in each.texts),
    ]
    points += [corner for text in texts for corner in _corners(text)]
    left, top = (min((point[axis] for point in points), default=0.0) - _MARGIN for axis in (0, 1))
    right, bottom = (max((point[axis] for point in points), default=0.0) + _MARGIN for axis in (0, 1))
    before = tuple(each for each in figures if each not in behind)
    inside = plane.element in process.elements
    name = titles(process.elements.values())[plane.element] if inside else ""
    return Drawing(left, top, right - left, bottom - top, behind, lines, before, name)


def _corners(text: Text) -> Iterator[tuple[float, float]]:
    """Return two corners of the place that a text takes."""
    length = len(text.text) * _LETTER
    first, last = (0.0, length) if text.start else (-length / 2, length / 2)
    if text.turned:
        yield from ((text.x - _LINE, text.y + first), (text.x, text.y + last))
    else:
        yield from ((text.x + first, text.y - _LINE), (text.x + last, text.y))


def _figure(process: Process, shape: Shape) -> Figure | None:
    tag, name = process.drawn.get(shape.element, ("", ""))
    name = " ".join(name.split())
    if tag in EVENTS:
        return _event(process, shape, tag, name)
    kind = _kind(tag, shape)
    mark, filled = TASK_MARKS.get(tag, (GATEWAY_MARKS.get(tag, ""), False))
    box = (shape.x, shape.y, shape.width, shape.height)
    texts = _texts(kind, shape, name, bool(mark))
    element = process.elements.get(shape.element)
    if element is None or kind not in ("activity", "subprocess"):
        return Figure(shape.element, kind, name, *box, texts, mark, filled) if kind else None
    return Figure(
        shape.element, kind, name, *box, texts, mark, filled, thick=tag == "callActivity",
        dashed=element.by_event, markers=tuple(MARKERS[each] for each in _markers(element, kind)),
    )  # fmt: skip


def _markers(element: Element, kind: str) -> Iterator[str]:
    """Return how an activity is repeated, and whether there is more inside than the diagram shows."""
    if loop := element.loop:
        yield "parallel" if loop.parallel else "sequential" if loop.times or loop.items else "loop"
    if kind == "activity" and element.tag in ("subProcess", "callActivity"):
        yield "inside"


def _kind(tag: str, shape: Shape) -> str:
    """Return how an element is drawn; empty if it is not."""
    if tag in GATEWAYS:
        return "gateway"
    if tag == "subProcess" and shape.expanded:
        return "subprocess"
    return "activity" if tag in TASKS or tag in ("subProcess", "callActivity") else _KINDS.get(tag, "")


def _texts(kind: str, shape: Shape, name: str, marked: bool) -> tuple[Text, ...]:
    """Return the lines of a name where elements of this kind have it."""
    if not name:
        return ()
    if kind in ("pool", "lane"):
        return tuple(_beside(shape, name))
    if kind == "subprocess":
        return (Text(shape.x + 8, shape.y + 18, name, start=True),)
    if kind in ("activity", "note"):
        return tuple(_within(shape, name, start=kind == "note", marked=marked))
    return tuple(_below(shape, name))


def _event(process: Process, shape: Shape, tag: str, name: str) -> Figure:
    element = process.elements.get(shape.element)
    kind = element.trigger.kind if element is not None else "none"
    mark, filled = EVENT_MARKS.get(kind, ("", False))
    throws = tag in ("endEvent", "intermediateThrowEvent")
    dashed = element is not None and not element.interrupting
    return Figure(
        shape.element, "event", name, shape.x, shape.y, shape.width, shape.height, tuple(_below(shape, name)),
        mark, filled or throws, tag == "endEvent", tag not in ("startEvent", "endEvent"), dashed,
    )  # fmt: skip


def _connection(process: Process, line: Line) -> Connection:
    tag, name = process.drawn.get(line.element, ("", ""))
    kind = {"sequenceFlow": "flow", "messageFlow": "message"}.get(tag, "link")
    points = " ".join(f"{x:g},{y:g}" for x, y in line.points)
    if line.label is not None:
        x, y = line.label[0] + line.label[2] / 2, line.label[1] + 11
    else:
        (x, y), (x2, y2) = line.points[0], line.points[1]
        x, y = (x + x2) / 2, (y + y2) / 2 - 6
    width = line.label[2] if line.label is not None else _LABEL
    texts = tuple(Text(x, y + n * _LINE, part) for n, part in enumerate(_lines(name, max(width, _LABEL))))
    return Connection(line.element, kind, points, texts, start=_start(process, line.element, kind))


def _start(process: Process, id_: str, kind: str) -> str:
    """Return the sign at the start of an edge: default, condition or message; empty for none."""
    flow = process.flows.get(id_)
    source = process.elements.get(flow.source) if flow is not None else None
    if flow is None or source is None:
        return "message" if kind == "message" else ""
    if source.default == id_:
        return "default"
    return "condition" if flow.condition is not None and source.tag in ACTIVITIES else ""


def _beside(shape: Shape, name: str) -> Iterator[Text]:
    """Return the lines of the name of a pool or lane: upwards at its left side, or along its upper one.

    A name that is longer than the side is written along the upper one, too.
    """
    upright = _lines(name, shape.height - 8) if shape.horizontal else []
    if 0 < len(upright) <= _LINES_OF_POOL and not upright[-1].endswith("…"):
        x, y = shape.x + 18, shape.y + shape.height / 2
        yield from (Text(x, y + n * _LINE, line, turned=True) for n, line in enumerate(upright))
        return
    along = _lines(name, shape.width - 16)
    x = shape.x + 8 if shape.horizontal else shape.x + shape.width / 2
    for number, line in enumerate(along):
        yield Text(x, shape.y + 16 + number * _LINE, line, start=shape.horizontal)


def _below(shape: Shape, name: str) -> Iterator[Text]:
    """Return the lines of a name that is written where the diagram says, or below the node."""
    if shape.label is not None:
        x, y, width, _height = shape.label
        x, y, width = x + width / 2, y + 11, max(width, _LABEL)
    else:
        x, y, width = shape.x + shape.width / 2, shape.y + shape.height + 15, 100.0
    lines = _lines(name, width)
    for number, line in enumerate(lines):
        yield Text(x, _clear(shape, x, y, len(lines), width) + number * _LINE, line)


def _clear(shape: Shape, x: float, y: float, lines: int, width: float) -> float:
    """Return the first base line of a label that touches its node nowhere, as near to y as there is one.

    A label that is beside the node, or in it, stays where it is.
    """
    beside = x + width / 2 <= shape.x or x - width / 2 >= shape.x + shape.width
    last, lower = y + (lines - 1) * _LINE, shape.y + shape.height
    if beside or shape.label is None:
        return y
    if shape.label[1] + shape.label[3] / 2 < shape.y:
        return y - max(last + _GAP - shape.y, 0)
    if shape.label[1] + shape.label[3] / 2 > lower:
        return max(y, lower + 11 + _GAP / 2)
    return y


def _within(shape: Shape, name: str, *, start: bool = False, marked: bool = False) -> Iterator[Text]:
    """Return the lines of a name in the middle of a node, below its mark if there are many."""
    lines = _lines(name, shape.width - 10)
    first = shape.y + shape.height / 2 + 4 - _LINE * (len(lines) - 1) / 2
    below = shape.y + _BELOW_MARK
    if marked and first < below and below + _LINE * (len(lines) - 1) < shape.y + shape.height:
        first = below
    x = shape.x + 8 if start else shape.x + shape.width / 2
    for number, line in enumerate(lines):
        yield Text(x, first + number * _LINE, line, start)


def _lines(name: str, width: float, count: int = _MOST_LINES) -> list[str]:
    """Return a name in some lines of about a width; the last one says that there is more."""
    most = max(int(width / _LETTER), 6)
    found = [""]
    for word in name.split():
        for part in (word[at : at + most] for at in range(0, len(word), most)):
            if len(found[-1]) + len(part) + 1 > most and found[-1]:
                found.append("")
            found[-1] = f"{found[-1]} {part}".strip()
    if len(found) > count:
        found = [*found[: count - 1], f"{found[count - 1][: most - 1]}…"]
    return [line for line in found if line]
