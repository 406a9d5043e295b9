"""The small picture of an example, drawn on the server: what follows from what in its scenarios."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from flows.definition.scenarios import Scenario

START, FINAL = "", "final"
WIDTH, HEIGHT, GAP_X, GAP_Y = 124, 36, 32, 14
# Characters in a line of a box.
LINE = 17


@dataclass(frozen=True)
class Box:
    """A rule, the start or the end, with its place in the picture."""

    kind: str
    title: str
    lines: tuple[str, ...]
    x: int
    y: int

    @property
    def middle(self) -> int:
        return self.x + WIDTH // 2

    @property
    def texts(self) -> list[tuple[int, str]]:
        """Return the lines with the heights at which they stand."""
        first = self.y + HEIGHT // 2 + 4 - 7 * (len(self.lines) - 1)
        return [(first + 14 * n, line) for n, line in enumerate(self.lines)]


@dataclass(frozen=True)
class Miniature:
    """A picture: its size, its boxes, the paths of its edges, and the same as a sentence."""

    width: int
    height: int
    boxes: Sequence[Box]
    edges: Sequence[str]
    sentence: str


def miniature(definition: Mapping[str, Any], scenarios: Sequence[Scenario]) -> Miniature:
    """Return the picture of what the scenarios expect."""
    following = _following(scenarios)
    titles = {str(t.get("name")): str(t.get("label") or t["name"]) for t in definition["triggers"]}
    titles |= {START: pgettext("in a picture", "Start"), FINAL: pgettext("in a picture", "Final")}
    columns = _columns(following)
    boxes = {name: _box(name, titles[name], column, row, columns) for name, (column, row) in _places(columns)}
    width = max((box.x for box in boxes.values()), default=0) + WIDTH + 2
    height = max((box.y for box in boxes.values()), default=0) + HEIGHT + 2
    backwards = any(boxes[a].x >= boxes[b].x for a, b in _pairs(following))
    return Miniature(
        width,
        height + (GAP_Y + 10 if backwards else 0),
        list(boxes.values()),
        [_edge(boxes[a], boxes[b], height) for a, b in _pairs(following)],
        "; ".join(
            _("after %(rule)s: %(next)s")
            % {"rule": titles[name], "next": ", ".join(titles[each] for each in after)}
            for name, after in following.items()
        ),
    )


def _following(scenarios: Sequence[Scenario]) -> dict[str, list[str]]:
    """Return the rules that followed each rule, in the order in which they first did."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for scenario in scenarios:
        waits: list[str] = [START]
        for step in scenario.steps:
            done = str(step.rule["name"]) if step.rule else START
            if step.do == "due":
                # What fires at its time followed what made its condition true.
                done = waits[-1] if waits[-1] != done else START
            if done != START and not any(done in after for after in found.values()):
                # The database fired it in between, which no scenario says.
                found[_before(found, waits)][done] = None
            for fired in step.expected.get("fired", ()):
                found[done][str(fired["name"])] = None
            if step.expected.get("status") == "F":
                found[done][FINAL] = None
            if step.do != "due":
                waits.append(done)
    return {name: list(after) for name, after in found.items()}


def _before(found: Mapping[str, Mapping[str, None]], waits: Sequence[str]) -> str:
    """Return the first of the rules that fired of which nothing is known to have followed."""
    fired = [name for each in waits for name in found.get(each, ()) if name not in found and name != FINAL]
    return next((name for name in fired if name not in waits), waits[-1])


def _pairs(following: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    for name, after in following.items():
        for each in after:
            yield name, each


def _columns(following: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Return the names by their longest way from the start that does not go back; the end stands last."""
    depth: dict[str, int] = {}
    _walk(following, START, (), depth)
    last = max((depth[name] for name in depth if name != FINAL), default=0)
    names = [name for name in depth if name != FINAL]
    return [*([name for name in names if depth[name] == n] for n in range(last + 1)), [FINAL]]


def _walk(
    following: Mapping[str, Sequence[str]], name: str, way: tuple[str, ...], depth: dict[str, int]
) -> None:
    """Note how deep a name stands on this way, and go on to what follows it."""
    if depth.get(name, -1) >= len(way):
        return
    depth[name] = len(way)
    for after in following.get(name, ()):
        # A way that comes back to itself is a loop.
        if after not in way and after != name:
            _walk(following, after, (*way, name), depth)


def _places(columns: Sequence[Sequence[str]]) -> Iterator[tuple[str, tuple[int, int]]]:
    for column, names in enumerate(columns):
        for row, name in enumerate(names):
            yield name, (column, row)


def _box(name: str, title: str, column: int, row: int, columns: Sequence[Sequence[str]]) -> Box:
    highest = max(map(len, columns))
    offset = (highest - len(columns[column])) * (HEIGHT + GAP_Y) // 2
    kind = {START: "start", FINAL: "final"}.get(name, "rule")
    return Box(
        kind,
        title,
        _lines(title),
        1 + column * (WIDTH + GAP_X),
        1 + offset + row * (HEIGHT + GAP_Y),
    )


def _lines(title: str) -> tuple[str, ...]:
    """Return the title in at most two lines."""
    if len(title) <= LINE:
        return (title,)
    cut = title.rfind(" ", 0, LINE + 1)
    first, rest = (title[:cut], title[cut + 1 :]) if cut > 0 else (title[:LINE], title[LINE:])
    return first, rest if len(rest) <= LINE else f"{rest[: LINE - 1]}…"


def _edge(a: Box, b: Box, bottom: int) -> str:
    """Return the path from a box to a later one, or below all boxes to an earlier one."""
    if b.x > a.x:
        x, y, to_x, to_y = a.x + WIDTH, a.y + HEIGHT // 2, b.x - 1, b.y + HEIGHT // 2
        bend = (to_x - x) // 2
        return f"M{x},{y} C{x + bend},{y} {to_x - bend},{to_y} {to_x},{to_y}"
    low = bottom + GAP_Y
    return (
        f"M{a.middle},{a.y + HEIGHT} C{a.middle},{low} {a.middle},{low} {a.middle - 20},{low}"
        f" L{b.middle + 20},{low} C{b.middle},{low} {b.middle},{low} {b.middle},{b.y + HEIGHT + 1}"
    )
