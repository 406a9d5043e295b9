"""Every option of a rule and of an attribute comes back from a file as it was written, whatever its value."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from flows import json_text
from flows.definition import ATTRIBUTE
from flows.languages.bpmn import read
from flows.languages.bpmn.compiler.graph_parts import OPTIONS
from flows.languages.bpmn.document.options import converted
from flows.languages.bpmn.writer.document import write
from flows.languages.graph import read as read_graph
from flows.languages.graph.model import Graph, Node

VALUES: dict[str, list[Any]] = {
    "text": ["it's", "a; b, c", 'two\nlines & "<b>"', " x ", "[1]", "true", ""],
    "interval": ["00:05:00", "1 mon 2 days", None],
    "boolean": [True, False],
    "integer": [0, -3, 2**31 - 1, -(2**31)],
    "smallint": [0, -3, 2**15 - 1],
    "text[]": [
        [], ["a"], ["a", "b"], ["Pay: a = 1, b = 2", "FAILED"], ["a = ';'", "b"], ['["a"]'], [" a", ""],
    ],
    "jsonb": [
        {"sections": [{"title": "It's", "fields": [{"attribute": "a", "writable": False, "shown": None}]}]},
        [1, "two", None, [True]], True, False, 5, -7, Decimal("1.10"), "a text", 'é\n"', {}, [],
    ],
}  # fmt: skip
# Written as the name of the element, and as its lane.
SHOWN = ("label", "role")


def graph_of(options: dict[str, Any], attribute: dict[str, Any]) -> Graph:
    text = "edges: [[a, start, work], [b, work, done]]\nnodes: [{node: work}]\nattributes: [{name: x}]"
    graph = read_graph(text, "yaml", "options")
    nodes = {**graph.nodes, "work": Node(**{**vars(graph.nodes["work"]), "options": options})}
    return Graph(**{**vars(graph), "nodes": nodes, "attributes": ({"name": "x"} | attribute,)})


def same(found: Any, value: Any) -> bool:
    """Compare with the types of values: for Python, 1 is true."""
    return bool(found == value and json_text.encode(found) == json_text.encode(value))


@pytest.mark.parametrize("name", [name for name in OPTIONS if name not in SHOWN])
def test_an_option_of_a_rule_is_read_as_it_was_written(name: str) -> None:
    for value in VALUES[OPTIONS[name].type]:
        process, warnings = read(write(graph_of({name: value}, {}), "options").encode())
        given = {**process.elements["work"].options}
        assert given.pop("transition") == "work" and warnings == []
        found = converted(given, OPTIONS).get(name, OPTIONS[name].default)
        wanted = None if value == "" and OPTIONS[name].nullable else value  # empty is without a value
        assert same(found, wanted), (found, wanted, given)


@pytest.mark.parametrize("name", [name for name in ATTRIBUTE if name != "name"])
def test_an_option_of_an_attribute_is_read_as_it_was_written(name: str) -> None:
    for value in VALUES[ATTRIBUTE[name].type]:
        process, _warnings = read(write(graph_of({}, {name: value}), "options").encode())
        found = process.data[0].options.get(name, ATTRIBUTE[name].default)
        assert same(found, value), (found, value)


@pytest.mark.parametrize("text", ["--5", "²", "5.0", "", "9" * 10, "9" * 5_000])
def test_what_is_no_whole_number_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match="is a whole number, not"):
        converted({"max_attempts": text}, OPTIONS)
