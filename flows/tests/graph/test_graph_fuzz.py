"""Changed and random texts of graphs: each is a graph within the limits, or its problems have places."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from flows.definition.files import YAML
from flows.languages.graph import BadGraph, Graph, Problem, check, read
from flows.languages.graph.model import KINDS
from flows.languages.graph.reader import MOST_EDGES, MOST_NODES, MOST_PROBLEMS
from testkit.cases import examples

TEXT = """start() ->
R = [{r1, a, b}, {r2, b, c, "amount > 100"}, {r3, b, d, default}, {r4, c, j}, {r5, d, j}], % edges
N = [{b, [r1], [r2, r3], exclusive}, {j, [r4, r5], []}],
walk(R, N, {0, [r1], 1, []}).
"""
OBJECT: dict[str, Any] = {
    "graph": "g",
    "start": ["r1"],
    "edges": [
        ["r1", "a", "b"],
        {"edge": "r2", "from": "b", "to": "c", "condition": "amount > 100"},
        {"edge": "r3", "from": "b", "to": "j", "default": True},
        ["r4", "c", "j"],
        ["i1", "x", "y"],
    ],
    "nodes": [
        {"node": "b", "in": ["r1"], "out": ["r2", "r3"], "type": "exclusive"},
        ["a", [], ["r1"]],
        {"node": "c", "type": "subprocess", "options": {"label": "C"}},
        {"node": "x", "within": "c"},
        {"node": "y", "within": "c"},
        {"node": "j", "in": ["r4", "r3"], "out": [], "type": "complex", "need": 2},
    ],
    "attributes": [{"name": "amount", "type": "numeric"}],
}
PARTS = [
    *'{}[](),=.%"\\ \n_ü\0',
    "->",
    "R=[",
    "N=[",
    "start=[",
    "walk(",
    "{r1,a,b}",
    "default",
    "r1",
    '"x"',
    "\ud800",
    "é" * 50,
]
FILES = [
    *"{}[]:,-&*!|>%@`'\"#\n \t",
    "edges:",
    "nodes:",
    "- ",
    "[r1, a, b]",
    "null",
    "true",
    "\\ud800",
    "\u2028",
    "?",
]
STRANGE = st.sampled_from(
    [None, True, 0, -1, 10**999, "", "_", "a", "A", "R1", "r1", "c", "x" * 90, "\0", "complex"]
)
VALUES = st.recursive(
    STRANGE | st.text(max_size=5) | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.text(max_size=5) | STRANGE.map(str), inner, max_size=3)
    ),
    max_leaves=8,
)


@st.composite
def changed_texts(draw: st.DrawFn, text: str, parts: list[str]) -> str:
    """Draw a text in which some parts are removed, repeated or inserted."""
    for _change in range(draw(st.integers(0, 4))):
        first, last = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
        last = min(last, first + 20)
        new = draw(st.sampled_from(["", text[first:last] * 2, *parts]) | st.text(max_size=3))
        text = text[:first] + new + text[last:]
    return text


def slots(value: Any) -> Iterator[tuple[Any, Any]]:
    """Return each list and object with each of its places."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for place, each in inner:
        yield value, place
        yield from slots(each)


@st.composite
def changed_objects(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a graph in which some values are replaced, removed or repeated."""
    whole = copy.deepcopy(OBJECT)
    for _change in range(draw(st.integers(1, 4))):
        found = [*slots(whole)]
        if not found:
            break
        holder, place = draw(st.sampled_from(found))
        other, its = draw(st.sampled_from(found))
        match draw(st.sampled_from(["value", "other", "none", "key"])):
            case "value":
                holder[place] = draw(VALUES)
            case "other":
                holder[place] = copy.deepcopy(other[its])
            case "none":
                del holder[place]
            case "key" if isinstance(holder, dict):
                holder[draw(st.text(max_size=5) | st.sampled_from(["need", "within", "type", "in"]))] = (
                    holder.pop(place)
                )
    return whole


def problems(text: str, format_: str) -> tuple[Problem, ...]:
    """Return why a text is no graph, after checks of what holds for each text."""
    try:
        graph = read(text, format_, "name")
    except BadGraph as error:
        assert 1 <= len(error.problems) <= MOST_PROBLEMS
        assert len(json.dumps(error.where)) < 100_000
        for problem in error.problems:
            must_be_in(text, problem)
        return error.problems
    must_be_whole(graph)
    for problem in check(graph):
        must_be_in(text, problem)
    return ()


def must_be_in(text: str, problem: Problem) -> None:
    """Check that a problem has a message that can be shown, and a place of the text or none."""
    assert problem.code and problem.message and len(problem.message) <= 500
    problem.message.encode()
    assert 0 <= problem.line <= len(text.splitlines()) + 1  # YAML has more signs that end a line
    assert (problem.line == 0) == (problem.column == 0)
    assert problem.column <= max(map(len, text.split("\n"))) + 1


def must_be_whole(graph: Graph) -> None:
    """Check that all parts of a graph agree with one another."""
    assert 0 < len(graph.edges) <= MOST_EDGES and 0 < len(graph.nodes) <= MOST_NODES
    assert {name for edge in graph.edges.values() for name in (edge.source, edge.target)} <= {*graph.nodes}
    assert {*graph.start} <= {*graph.edges}
    assert len({name.lower() for name in graph.nodes}) == len(graph.nodes)
    assert len({name.lower() for name in graph.edges}) == len(graph.edges)
    options = [[node.options for node in graph.nodes.values()], graph.attributes]
    texts = [graph.name, [edge.condition for edge in graph.edges.values()]]
    stored = json.dumps([options, texts], ensure_ascii=False, allow_nan=False)
    assert stored.encode() and "\\u0000" not in stored.replace("\\\\", "")
    for node in graph.nodes.values():
        assert node.kind in KINDS
        assert sorted(node.inward) == sorted(e.name for e in graph.edges.values() if e.target == node.name)
        assert sorted(node.outward) == sorted(e.name for e in graph.edges.values() if e.source == node.name)
        assert node.name not in graph.around(node.name)


def test_the_graphs_that_are_changed_have_no_problems() -> None:
    assert problems(TEXT, "") == problems(json.dumps(OBJECT), "json") == ()


@settings(max_examples=examples(500), deadline=None)
@example("")
@example('R = [{r1, a, "')
@example("R = " + "[" * 5_000)
@example("walk")
@example("walk(1, 2, 3)")
@given(st.text() | st.lists(st.sampled_from(PARTS)).map("".join) | changed_texts(TEXT, PARTS))
def test_any_text_is_a_graph_or_has_problems_with_their_places(text: str) -> None:
    assert all(problem.line for problem in problems(text, ""))


@settings(max_examples=examples(300), deadline=None)
@example('{"graph": "\\ud800", "edges": [["r1", "a", "b"]]}', "json")
@example('{"edges": [["r1", "a", "b"]], "nodes": [{"node": "a", "options": {"x": NaN}}]}', "json")
@given(
    st.text() | changed_texts(json.dumps(OBJECT, indent=1), FILES) | changed_texts(YAML.dump(OBJECT), FILES),
    st.sampled_from(["json", "yaml"]),
)
def test_any_file_is_a_graph_or_has_problems_with_their_places(text: str, format_: str) -> None:
    problems(text, format_)


@settings(max_examples=examples(500), deadline=None)
@example(OBJECT)
@example(OBJECT | {"graph": "\0"})
@example(OBJECT | {"edges": [["r1", 10**999, "b"]]})
@example({"edges": [["r1", "a", "b"]], "nodes": [{"node": "b", "type": "complex", "need": 10**999}]})
@given(changed_objects())
def test_a_graph_with_changed_values_is_the_same_in_each_format(content: dict[str, Any]) -> None:
    of_json, of_yaml = problems(json.dumps(content), "json"), problems(YAML.dump(content), "yaml")
    assert sorted(each.code for each in of_json) == sorted(each.code for each in of_yaml)


@pytest.mark.parametrize(
    "text",
    [
        f"R = [{{r1, a, b}}], start = [{', '.join(['x'] * 100_000)}]",
        f"R = [{{r1, a, b}}], start = [{', '.join(['r1'] * 100_000)}]",
        f"R = [{{r1, a, b}}], N = [{', '.join(['{a, b, c}'] * 50_000)}]",
    ],
)
def test_long_lists_of_wrong_parts_have_some_problems(text: str) -> None:
    assert len(problems(text, "")) == MOST_PROBLEMS
