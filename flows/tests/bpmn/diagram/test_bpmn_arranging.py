"""The layout of a process that has none: from left to right, and no line passes through an element."""

from __future__ import annotations

from itertools import pairwise

import pytest

from flows.languages.bpmn import Process, read
from flows.languages.bpmn.diagram.arrangement import arranged
from flows.languages.bpmn.model import Shape
from flows.tests.bpmn.files.bpmn_conformance import SUPPORTED
from flows.tests.bpmn.files.bpmn_files import ORDER

SAMPLES = {"an order": ORDER} | {what: content for what, (content, _becomes) in SUPPORTED.items()}


def crossed(process: Process) -> list[tuple[str, str]]:
    """Return the flows, each with an element that its line passes through."""
    plane = arranged(process)
    found = []
    for line in plane.lines:
        flow = process.flows[line.element]
        ends = {flow.source, flow.target, process.elements[flow.source].attached}
        for shape in plane.shapes:
            element = process.elements[shape.element]
            if shape.element in ends or element.attached or element.tag == "subProcess":
                continue
            if any(passes(shape, *ends) for ends in pairwise(line.points)):
                found.append((line.element, shape.element))
    return found


def passes(shape: Shape, start: tuple[float, float], end: tuple[float, float]) -> bool:
    """Return whether a horizontal or vertical line leads through the inside of a shape."""
    left, right = sorted((start[0], end[0]))
    top, bottom = sorted((start[1], end[1]))
    beside = right <= shape.x or shape.x + shape.width <= left
    return not (beside or bottom <= shape.y or shape.y + shape.height <= top)


@pytest.mark.parametrize("what", SAMPLES)
def test_no_line_passes_through_an_element(what: str) -> None:
    assert crossed(read(SAMPLES[what])[0]) == []


def test_an_element_is_right_of_all_that_lead_to_it() -> None:
    process = read(ORDER)[0]
    x = {shape.element: shape.x + shape.width / 2 for shape in arranged(process).shapes}
    assert x["check"] < x["approve"] < x["accepted"] < x["fork"] < x["join"] < x["done"]
