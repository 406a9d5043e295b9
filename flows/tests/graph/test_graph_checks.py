"""Graphs: what cannot be read, what the checks find, with place, and that nothing is half read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flows.languages.graph import BadGraph, Problem, check, read
from flows.languages.graph.deadends import MOST_STORED, Search
from flows.tests.commands import answer, refused, run, write


def codes(text: str, format_: str = "") -> list[tuple[str, int]]:
    """Return code and line of the problems of a text that cannot be read."""
    with pytest.raises(BadGraph) as caught:
        read(text, format_)
    assert caught.value.sqlstate == "WD009" and caught.value.where["problems"]
    return [(problem.code, problem.line) for problem in caught.value.problems]


def found(text: str, format_: str = "") -> dict[str, Problem]:
    return {problem.code: problem for problem in check(read(text, format_))}


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("R = [{r1, a, b}", [("syntax", 1)]),
        ("R = [{r1, a, b}],\nS = []", [("syntax", 2)]),
        ("R = [{r1, a}]", [("syntax", 1)]),
        ("R = [{r1, a, b}],\nR = [{r2, a, b}]", [("syntax", 2)]),
        ("R = [{r1, a, b, c}]", [("syntax", 1)]),
        ("R = [{r1, a, b}],\nwalk(R, N, {})", [("syntax", 2)]),
        ("R = [{r1, a, [[[[[[b]]]]]]}]", [("syntax", 1)]),
        ("R = [\n{r1, a, ü}]", [("syntax", 2)]),
        ("R = []", [("no_edges", 1)]),
        ("R = [{r1, a, b},\n{r1, b, c}]", [("name_collides", 2)]),
        ("R = [{r1, a, b},\n{R1, b, c}]", [("name_collides", 2)]),
        ("R = [{r1, a, b},\n{r2, B, c}]", [("name_collides", 2)]),
        ("R = [{r1, a, b}],\nN = [{b, [r1], []},\n{b, [r1], []}]", [("name_collides", 3)]),
        ("R = [{r1, a, b}],\nN = [{b, [r2], []}]", [("nodes_differ", 2)]),
        ("R = [{r1, a, b}],\nN = [{b, [r1], [], gate}]", [("unknown_type", 2)]),
        ("R = [{r1, a, b}],\nstart = [r2]", [("unknown_edge", 2)]),
        ("R = [{r1, a, b}, {r2, b, c}],\nstart = [r2]", [("bad_start", 2)]),
        ("R = [{r1, a, b}],\nstart = [r1, r1]", [("name_collides", 2)]),
        (f"R = [{{{'r' * 41}, a, b}}]", [("bad_name", 1)]),
        ("R = [{_r, a, b}]", [("bad_name", 1)]),
    ],
)
def test_a_text_that_is_no_graph_is_rejected_with_its_place(text: str, problems: list[Any]) -> None:
    assert codes(text) == problems


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("- a", [("not_an_object", 1)]),
        ("edges: [[r1, a, b]\nnodes: []", [("syntax", 2)]),
        ("edges:\n- [r1, a, b]\n- [r1, b, c]", [("name_collides", 3)]),
        ("edges:\n- {edge: r1, from: a, to: b, wight: 3}", [("unknown_option", 2)]),
        ("edges:\n- {edge: r1, from: a}", [("no_name", 2)]),
        ("edges:\n- {edge: r1, from: a, to: b, default: maybe}", [("wrong_type", 2)]),
        ("edges:\n- r1", [("not_an_object", 2), ("no_name", 2)]),
        ("edges: [[r1, a, b]]\nnodes:\n- {node: b, within: s}", [("no_subprocess", 3)]),
        (
            "edges: [[r1, a, s]]\nnodes:\n- {node: s, type: subprocess, within: t}\n"
            "- {node: t, type: subprocess, within: s}",
            [("cyclic_subprocess", 3), ("cyclic_subprocess", 4)],
        ),
        ("edges: [[r1, a, b]]\nnodes:\n- {node: b, type: complex, need: 2}", [("bad_need", 3)]),
        ("edges: [[r1, a, b]]\nnodes:\n- {node: b, type: complex, need: [r2]}", [("bad_need", 3)]),
        ("edges: [[r1, a, b]]\nnodes:\n- {node: b, need: 1}", [("no_effect", 3)]),
        ("edges:\n- [r1, a, b, c, d]", [("not_an_object", 2), ("no_name", 2)]),
        ("edges: &all [[r1, a, b]]\nnodes: *all", [("syntax", 2)]),
        ("edges: " + "[" * 60 + "]" * 60, [("syntax", 0)]),
        ('graph: "\\0"\nedges: [[r1, a, b]]', [("syntax", 0)]),
        ("edges:\n- [r1, a, b\0]", [("syntax", 2)]),
    ],
)
def test_a_file_that_is_no_graph_is_rejected_with_its_place(text: str, problems: list[Any]) -> None:
    assert codes(text, "yaml") == problems


def chain(nodes: int) -> str:
    return json.dumps({"edges": [[f"r{n}", f"n{n}", f"n{n + 1}"] for n in range(nodes - 1)]})


def test_graphs_and_texts_above_the_limits_are_rejected() -> None:
    assert check(read(chain(2_000), "json")) == []
    assert codes(chain(2_001), "json") == [("too_large", 1)]
    assert codes(json.dumps({"edges": [[f"r{n}", "a", "b"] for n in range(4_001)]}), "json") == [
        ("too_large", 0)
    ]
    assert codes(" " * 1_000_001) == [("too_large", 0)]


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("R = [{r1,a,b},\n{r2,b,c}, {r3,c,b}]", "no_exit", 1),
        ("R = [{r1,a,b},\n{r2,c,d}, {r3,d,c}]", "unreachable", 1),
        ("R = [{r1,a,b},\n{r2,c,d}],\nstart = [r1]", "unreachable", 1),
        ("R = [{r1,a,b}],\nN = [{b,[r1],[],exclusive}]", "no_outgoing", 2),
        ("R = [{r1,a,b},{r2,b,c}],\nN = [{b,[r1],[r2],end}]", "end_left", 2),
        ("R = [{r1,a,b},{r2,b,c}],\nN = [{b,[r1],[r2],begin}]", "begin_entered", 2),
        ("R = [{r1,a,b},{r2,b,a}]", "no_begin", 0),
        ('R = [{r1,a,b},\n{r2,b,c,"x"}]', "no_effect", 2),
        ("R = [{r1,a,b},\n{r2,b,c}, {r3,b,d,default}],\nN = [{b,[r1],[r2,r3],exclusive}]", "no_condition", 2),
        (
            "R = [{r1,a,b},\n{r2,b,c,default},\n{r3,b,d,default}],\nN = [{b,[r1],[r2,r3],exclusive}]",
            "second_default",
            3,
        ),
        ("R = [{r1,a,b},{r2,b,c},\n{r3,b,d}, {r4,c,d}],\nN = [{b,[r1],[r2,r3],event}]", "no_event", 2),
        (
            "R = [{r1,a,b},{r2,b,c},{r3,b,d},{r5,d,e},\n{r4,c,b}],\nN = [{b,[r1,r4],[r2,r3],event}]",
            "no_event",
            2,
        ),
    ],
)
def test_parts_that_cannot_work_are_found_with_their_place(text: str, code: str, line: int) -> None:
    problem = found(text)[code]
    assert (problem.severity, problem.line) == ("error", line)


def test_an_exclusive_split_into_a_parallel_join_is_a_dead_end_with_its_choice() -> None:
    text = """
    R = [{r1,a,b}, {r2,b,c,"x"}, {r3,b,d,default}, {r4,c,j}, {r5,d,j}, {r6,j,k}],
    N = [{b,[r1],[r2,r3],exclusive},
         {j,[r4,r5],[r6],parallel}]
    """
    problem = found(text)["dead_end"]
    assert (problem.line, problem.column) == (4, 10)
    assert problem.message.startswith("Node “j” can wait without end for some of (r4, r5), where b chooses r")
    assert found(text.replace("parallel", "exclusive")) == {}


def test_an_exclusive_gateway_without_default_is_a_warning() -> None:
    text = 'R = [{r1,a,b}, {r2,b,c,"x"}, {r3,b,d,"y"}], N = [{b,[r1],[r2,r3],exclusive}]'
    assert [problem.severity for problem in found(text).values()] == ["warning"]


def test_tokens_that_only_grow_are_found() -> None:
    text = """
    R = [{r0,a,f}, {r1,f,g}, {r2,f,j}, {r3,g,f,"x"}, {r4,g,j,default}, {r5,j,k}],
    N = [{f,[r0,r3],[r1,r2],task}, {g,[r1],[r3,r4],exclusive}]
    """
    assert found(text)["grows"].severity == "error"


def test_an_edge_across_the_border_of_a_subprocess_is_found() -> None:
    text = "edges: [[r1, a, s], [r2, s, k], [i1, b, c],\n [i2, b, k]]\n"
    inner = "nodes:\n- {node: s, type: subprocess}\n- {node: b, within: s}\n- {node: c, within: s}\n"
    assert found(text + inner, "yaml")["crosses_border"].line == 2
    assert found((text + inner).replace("[i2, b, k]", "[i2, b, c]"), "yaml") == {}


def test_the_command_lists_problems_and_fails(tmp_path: Path) -> None:
    good, bad = "R = [{r1,a,b}]", "R = [{r1,a,b}, {r2,b,c}, {r3,c,b}]"
    assert run("graph", "check", write(tmp_path, good)) == "2 nodes and 1 edges; no errors found.\n"
    assert answer("graph", "check", write(tmp_path, good)) == {"nodes": 2, "edges": 1, "problems": []}
    assert refused("graph", "check", write(tmp_path, bad)) == "2 errors found."
    said = refused("graph", "walk", write(tmp_path, "R = [\n{r1,a}]", "g.txt"))
    assert said == "line 2, column 1: error: The form is {edge, from, to}. [syntax]"
    assert refused("graph", "walk", str(tmp_path / "absent.txt"), code=2)


def test_wide_graphs_are_examined_in_bounded_time_and_room() -> None:
    wide = [edge for n in range(990) for edge in ([f"s{n}", "f", f"n{n}"], [f"t{n}", f"n{n}", "j"])]
    edges = [["r1", "a", "f"], *wide, ["r2", "j", "k"]]
    assert check(read(json.dumps({"edges": edges}), "json")) == []
    inclusive = json.dumps({"edges": edges, "nodes": [{"node": "j", "type": "inclusive"}]})
    assert [*found(inclusive, "json")] == ["not_examined"]
    assert Search(read(inclusive, "json")).run().stored < MOST_STORED + 2_000


def test_problems_are_in_the_order_of_their_places() -> None:
    late, early, whole = Problem("a", "late", 9, 1), Problem("b", "early", 2, 5), Problem("c", "of all")
    assert BadGraph([late, early, whole]).problems == (whole, early, late)


def test_a_performer_is_a_person_or_a_worker_and_only_of_a_task() -> None:
    text = "edges: [[r1, a, b], [r2, b, c], [r3, c, d]]\nnodes:\n- {node: a, type: begin}\n"
    wrong = found(text + "- {node: b, options: {performer: database}}", "yaml")["bad_performer"]
    assert "is person or worker, not “database”" in wrong.message and wrong.line == 4
    wrong = found(text + "- {node: b, type: none, options: {performer: person}}", "yaml")["bad_performer"]
    assert "The database performs node “b”" in wrong.message
    assert "bad_performer" not in found(text + "- {node: b, options: {performer: person}}", "yaml")


def test_each_reason_why_an_edge_is_no_default_is_a_sentence_of_its_own() -> None:
    graph = "R = [{r1,a,b},{r2,b,c,default},{r3,b,d,default}],\nN = [{b,[r1],[r2,r3],exclusive}]"
    assert found(graph)["second_default"].message.endswith("Edge “r3” cannot be the default: edge “r2” is.")
    edges = [
        {"edge": "r1", "from": "a", "to": "b"},
        {"edge": "r2", "from": "b", "to": "c", "default": True, "condition": "x > 1"},
        {"edge": "r3", "from": "b", "to": "d", "condition": "x < 1"},
    ]
    node = {"node": "b", "in": ["r1"], "out": ["r2", "r3"], "type": "exclusive"}
    both = read(json.dumps({"graph": "R", "edges": edges, "nodes": [node]}), "json")
    said = [each.message for each in check(both) if each.code == "second_default"]
    assert "Edge “r2” cannot be the default: it has a condition." in said
    assert not [each for each in said if ", or another" in each]
