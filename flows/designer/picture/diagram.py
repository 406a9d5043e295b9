"""The diagram of a process in BPMN or PDL, without what is there now."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from flows import api
from flows.languages.bpmn import Process, read
from flows.languages.bpmn.diagram.figures import Drawing, Figure, drawings
from flows.languages.pdl.picture import process_of


@dataclass(frozen=True)
class Element:
    """One element as the diagram shows it; links to it have its `anchor`."""

    figure: Figure
    address: str = ""
    shown: int = 0
    anchor: str = ""

    @property
    def sentence(self) -> str:
        """Return the name of the element."""
        return self.figure.name or self.figure.element


@dataclass(frozen=True)
class Diagram:
    """One drawing with its elements, those that are behind the edges and those that are before them."""

    drawing: Drawing
    behind: tuple[Element, ...]
    before: tuple[Element, ...]


def diagrams(process: Process) -> list[Diagram]:
    """Return the drawings of a process. Of an element that is in several, the first one has the anchor."""
    anchors: dict[str, str] = {}
    return [_diagram(drawing, anchors) for drawing in drawings(process)]


def _diagram(drawing: Drawing, anchors: dict[str, str]) -> Diagram:
    behind, before = (_elements(each, anchors) for each in (drawing.behind, drawing.figures))
    lines = (replace(each, anchor=_anchor(each.element, anchors)) for each in drawing.connections)
    return Diagram(replace(drawing, connections=(*lines,)), behind, before)


def _elements(figures: Iterable[Figure], anchors: dict[str, str]) -> tuple[Element, ...]:
    return tuple(Element(each, anchor=_anchor(each.element, anchors)) for each in figures)


def _anchor(element: str, anchors: dict[str, str]) -> str:
    """Return a new anchor for an element; empty if it has one already."""
    if element in anchors:
        return ""
    anchors[element] = f"element-{len(anchors) + 1}"
    return anchors[element]


def diagrams_of(flow: str) -> list[Diagram]:
    """Return the drawings of a flow whose present version was imported from BPMN or PDL, else none."""
    source = api.flows.read_source(flow)
    if source is not None and source["language"] == "pdl":
        return diagrams(process_of(source["text"], source["map"]["workflow"]))
    if source is None or source["language"] != "bpmn":
        return []
    return diagrams(read(source["text"].encode(), source["map"]["process"])[0])
