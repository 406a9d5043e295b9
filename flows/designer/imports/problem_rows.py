"""The problems of a file as rows of a page: the errors first, with links to the elements of the diagram."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from flows.designer.picture.diagram import Diagram
from flows.languages.graph import Problem
from flows.languages.graph.problems import Entry, summary
from flows.languages.sentences import translated

_MOST_LINKS = 10


@dataclass(frozen=True)
class Place:
    """An element that has the problem: its id, its name, and its anchor in the diagram, if it is there."""

    element: str
    name: str
    anchor: str


@dataclass(frozen=True)
class Row:
    """One problem, or several equal ones: `count` places, of which some are listed."""

    line: int
    column: int
    severity: str
    message: str
    places: tuple[Place, ...]
    count: int

    @property
    def more(self) -> int:
        """Return how many places are not listed."""
        return max(self.count - max(len(self.places), 1), 0)


def rows(problems: Iterable[Problem], diagrams: Sequence[Diagram]) -> list[Row]:
    """Return the problems of a file in the language of the user."""
    anchors = {
        each.figure.element: each.anchor
        for diagram in diagrams
        for each in (*diagram.behind, *diagram.before)
        if each.anchor
    }
    anchors |= {
        edge.element: edge.anchor for each in diagrams for edge in each.drawing.connections if edge.anchor
    }
    return [_row(entry, anchors) for entry in summary(problems)]


def _row(entry: Entry[Problem], anchors: dict[str, str]) -> Row:
    first = entry.first
    places = (*_places(entry, anchors),)[:_MOST_LINKS]
    return Row(first.line, first.column, first.severity, translated(first.message), places, entry.count)


def _places(entry: Entry[Problem], anchors: dict[str, str]) -> Iterator[Place]:
    seen = set()
    for each in (entry.first, *entry.others):
        element = getattr(each, "element", "")
        if element and element not in seen:
            seen.add(element)
            yield Place(element, getattr(each, "name", ""), anchors.get(element, ""))
