"""Graphs: the scheduler's steps, threads, pointer and addresses, and the command that prints them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from flows.languages import graph
from flows.languages.graph import BadGraph, read, walk
from flows.languages.graph.model import KINDS
from flows.tests.commands import answer, refused, run, write

# Graph X of the article about the BPE scheduler, as printed there.
X = """
start() -> R=[{r1, a,b}, {r2, b,c}, {r3, b,d}, {r4, c,e}, {r5, c,f}, {r6, d,g}, {r7, e,h}, {r8, h,j},
 {r9, f,i}, {r10,i,j}, {r11,f,g}, {r12,g,j}, {r13,j,k}],
N=[{a,[],[r1]}, {b,[r1],[r2,r3]}, {c,[r2],[r4,r5]}, {d,[r3],[r6]}, {e,[r4],[r7]}, {f,[r5],[r9, r11]},
 {g,[r6,r11],[r12]}, {j,[r8,r10,r12],[r13]}, {i,[r9],[r10]}, {h,[r7],[r8]}, {k,[r13],[]}],
walk(R, N, {0, [r1], 1, []}).
"""
# Its table: step 9 and the pointer of step 13 as the algorithm gives them.
TABLE = """
 0 BEGIN 1 1
 1 1 2;3 1
 2 2 4;5;3 3
 3 3 4;5;6 1
 4 4 7;5;6 2
 5 5 7;9;11;6 4
 6 6 7;9;11 1
 7 7 8;9;11 2
 8 9 8;10;11 3
 9 11 8;10;12 1
10 8 10;12 1
11 10 12 1
12 12 13 1
13 13 - 0
"""
XOR_INTO_AND = """
R = [{r1,a,b}, {r2,b,c,"x"}, {r3,b,d,default}, {r4,c,j}, {r5,d,j}, {r6,j,k}],
N = [{b,[r1],[r2,r3],exclusive}]
"""
LOOP = """
R = [{r1, a, b}, {r2, b, c}, {r3, c, b, "again"}, {r4, c, d, default}],
N = [{b, [r1, r3], [r2], task}, {c, [r2], [r3, r4], exclusive}].
"""


def test_graph_x_walks_as_the_table_of_the_article_says(tmp_path: Path) -> None:
    lines = run("graph", "walk", write(tmp_path, X, "x.txt")).splitlines()[2:]
    printed = [line.replace("r", "").split()[:4] for line in lines]
    assert printed == [line.split() for line in TABLE.strip().splitlines()]
    assert walk(read(X)).visited == tuple(f"r{n}" for n in (1, 2, 3, 4, 5, 6, 7, 9, 11, 8, 10, 12, 13))


def test_addresses_are_the_forks_that_lead_to_the_threads() -> None:
    addresses = [step.address for step in walk(read(X)).steps]
    assert addresses[:6] == ["a(r1)", "a/b(r2,r3)", "a/b/c(r4,r5)", "a/b(r6)", "a/b/c(r7)", "a/b/c/f(r9,r11)"]
    assert addresses[9] == "a(r12)", "threads that passed b by different edges have only a in common"


def test_the_list_n_follows_from_r_and_may_be_left_out() -> None:
    alone = X[: X.index("N=[")] + "start = [r1]"
    assert walk(read(alone)).steps == walk(read(X)).steps
    edges = read(X).edges.values()
    for format_, text in (
        ("json", json.dumps({"edges": [[edge.name, edge.source, edge.target] for edge in edges]})),
        (
            "yaml",
            "edges:\n" + "".join(f"- {{edge: {e.name}, from: {e.source}, to: {e.target}}}\n" for e in edges),
        ),
    ):
        assert walk(read(text, format_)).steps == walk(read(X)).steps


def test_two_begin_edges_are_two_threads() -> None:
    found = walk(read("R = [{r1, a, c}, {r2, b, c}, {r3, c, d}]"))
    assert found.steps[0].threads == ("r1", "r2") and found.steps[0].address == "a(r1) b(r2)"
    assert found.visited == ("r1", "r2", "r3") and found.outcome == "ended"


def test_an_exclusive_split_before_a_parallel_join_is_a_deadlock_and_no_end(tmp_path: Path) -> None:
    found = walk(read(XOR_INTO_AND), choices={"b": [["r3"]]})
    assert (found.outcome, found.waiting) == ("deadlock", ("j",))
    said = refused("graph", "walk", write(tmp_path, XOR_INTO_AND), "--choose", "b=r3")
    assert said == "The walk ends without an end: tokens wait at j."


def test_a_choice_of_the_data_must_be_given(tmp_path: Path) -> None:
    path = write(tmp_path, LOOP)
    assert refused("graph", "walk", path) == "The data decide at c. Say which edge it takes: --choose c=EDGE."
    assert walk(read(LOOP), choices={"c": [["r3"], ["r3"], ["r4"]]}).visited == (
        *("r1", "r2", "r3", "r2", "r3", "r2", "r4"),
    )
    assert "“b” is no node that chooses" in refused("graph", "walk", path, "--choose", "b=r2")
    assert "Node “c” cannot choose r9" in refused("graph", "walk", path, "--choose", "c=r9")
    assert refused("graph", "walk", path, "--choose", "c", code=2)


def test_an_endless_graph_is_planned(tmp_path: Path) -> None:
    path = write(tmp_path, LOOP)
    plan = answer("graph", "walk", path, "--choose", "c=r3", "--steps", "7")
    assert plan["visited"] == ["r1", "r2", "r3", "r2", "r3", "r2", "r3"] and plan["outcome"] == "planned"
    whole = run("graph", "walk", path, "--choose", "c=r3")
    assert whole.endswith("Step 3 leads to where step 1 led: these steps repeat without end.\n")
    assert refused("graph", "walk", path, "--steps", "10001", code=2)


def test_a_join_in_a_loop_counts_tokens_instead_of_looking_into_the_history() -> None:
    text = """
    R = [{r1,a,m}, {r2,m,f}, {r3,f,j}, {r4,f,j}, {r5,j,x}, {r6,x,m,"again"}, {r7,x,k,default}],
    N = [{m,[r1,r6],[r2],none}, {x,[r5],[r6,r7],exclusive}].
    """
    found = walk(read(text), steps=400, choices={"x": [["r6"]]})
    assert found.outcome == "planned" and max(len(step.threads) for step in found.steps) == 2


def test_threads_that_only_grow_are_limited() -> None:
    text = "R = [{r1,a,b}, {r2,b,b2}, {r3,b,b3}, {r4,b2,b}, {r5,b3,b}], N = [{b,[r1,r4,r5],[r2,r3],task}]"
    with pytest.raises(BadGraph, match="more than 1000 threads"):
        walk(read(text))


INCLUSIVE = """
R = [{r1,a,s}, {r2,s,b,"x"}, {r3,s,c,"y"}, {r4,s,d,"z"}, {r5,b,j}, {r6,c,j}, {r7,d,j}, {r8,j,k}],
N = [{s,[r1],[r2,r3,r4],inclusive}, {j,[r5,r6,r7],[r8],inclusive}].
"""


@pytest.mark.parametrize("chosen", ["r2", "r3", "r4", "r2+r3", "r2+r4", "r3+r4", "r2+r3+r4"])
def test_an_inclusive_join_waits_for_what_the_split_chose_and_fires_once(chosen: str) -> None:
    found = walk(read(INCLUSIVE), choices={"s": [chosen.split("+")]})
    assert found.outcome == "ended" and found.visited.count("r8") == 1 and found.visited[-1] == "r8"


def test_an_inclusive_join_does_not_wait_for_a_token_that_can_come_by_an_edge_that_has_one() -> None:
    text = """
    R = [{r1,a,f}, {r2,f,x}, {r3,f,c}, {r4,c,x}, {r5,x,j,"p"}, {r6,x,j,default}, {r7,j,k}],
    N = [{x,[r2,r4],[r5,r6],exclusive}, {j,[r5,r6],[r7],inclusive}].
    """
    assert walk(read(text), choices={"x": [["r5"], ["r6"]]}).visited.count("r7") == 2


def test_a_complex_gateway_needs_a_subset_and_absorbs_the_rest() -> None:
    text = """
    R = [{r0,a,s}, {r1,s,b}, {r2,s,c}, {r3,s,d}, {r8,b,j}, {r10,c,j}, {r12,d,j}, {r13,j,k}]
    """
    options = {"node": "j", "type": "complex", "need": ["r8", "r12"]}
    edges = [[edge.name, edge.source, edge.target] for edge in read(text).edges.values()]
    found = walk(read(json.dumps({"edges": edges, "nodes": [options]}), "json"))
    assert found.outcome == "ended" and found.visited.count("r13") == 1
    one = walk(read(json.dumps({"edges": edges, "nodes": [options | {"need": 1}]}), "json"))
    assert one.outcome == "ended" and one.visited.count("r13") == 1
    assert one.visited.index("r8") < one.visited.index("r13")


def test_a_subprocess_is_a_group_of_the_same_walk() -> None:
    text = """
    edges: [[r1, a, s], [r2, s, k], [i1, b, f], [i2, f, g], [i3, f, h], [i4, g, e], [i5, h, e]]
    nodes:
    - {node: s, type: subprocess}
    - {node: b, within: s}
    - {node: f, within: s}
    - {node: g, within: s}
    - {node: h, within: s}
    - {node: e, within: s}
    """
    found = walk(read(text, "yaml"))
    assert found.visited == ("r1", "i1", "i2", "i3", "i4", "i5", "r2") and found.outcome == "ended"
    assert [step.address for step in found.steps][1:3] == ["a/s(i1)", "a/s/f(i2,i3)"]
    assert found.steps[-2].address == "a(r2)"


PAGE = (Path(__file__).parents[3] / "docs" / "graphs.md").read_text(encoding="utf-8")


def test_the_examples_of_the_page_run_as_shown(tmp_path: Path) -> None:
    text, shown = PAGE.split("```text\n")[1].split("```")[0], PAGE.split("```console\n")[1].split("```")[0]
    assert shown == "$ python manage.py graph walk x.txt\n" + run("graph", "walk", write(tmp_path, text))
    orders = PAGE.split("```yaml\n")[1].split("```")[0]
    path = write(tmp_path, orders, "orders.yaml")
    assert run("graph", "check", path).endswith("no errors found.\n")
    assert answer("graph", "walk", path, "--choose", "check=r3")["visited"] == ["r1", "r3", "r5"]


def test_the_page_names_every_type_and_every_problem() -> None:
    sources = "".join(path.read_text() for path in Path(graph.__file__).parent.glob("*.py"))
    codes = re.findall(r'(?:Problem|_problem)\((?:graph, )?"(\w+)"', sources)
    named = {*re.findall(r"`(\w+)`", PAGE)}
    reading = {"syntax", "too_large", "bad_choice", "too_many_threads"}
    assert {*KINDS, *codes} - reading <= named and len({*codes}) > 15
