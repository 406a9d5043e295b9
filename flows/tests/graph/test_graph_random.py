"""Random graphs: the scheduler and the checks agree with a reference interpreter in every order of moves."""

from __future__ import annotations

from random import Random

import pytest

from flows.languages.graph import Edge, Graph, Node, check, walk
from flows.tests.graph.graph_reference import every_order, sampled

KINDS = ("exclusive", "parallel", "inclusive")


class Maker:
    """Makes random graphs out of blocks: sequences, splits with a join, and loops."""

    def __init__(self, seed: int, *, sound: bool, kinds: tuple[str, ...] = KINDS) -> None:
        self.random, self.sound, self.kinds = Random(seed), sound, kinds  # noqa: S311
        self.nodes: dict[str, str] = {}
        self.edges: list[tuple[str, str]] = []

    def node(self, kind: str) -> str:
        name = f"n{len(self.nodes)}"
        self.nodes[name] = kind
        return name

    def block(self, before: str, depth: int) -> str:
        """Add a block after a node, and return its last node."""
        shape = self.random.random()
        if depth == 0 or shape < 0.25:
            last = self.node("task")
            self.edges.append((before, last))
        elif shape < 0.45:
            last = self.block(self.block(before, depth - 1), depth - 1)
        elif shape < 0.88:
            last = self.split(before, depth)
        else:
            last = self.loop(before, depth)
        return last

    def split(self, before: str, depth: int) -> str:
        kind = self.random.choice(self.kinds)
        joined = kind if self.sound else self.random.choice((*self.kinds, "none"))
        fork, join = self.node(kind), self.node(joined)
        self.edges.append((before, fork))
        for _branch in range(self.random.randint(2, 3)):
            self.edges.append((self.block(fork, depth - 1), join))
        return join

    def loop(self, before: str, depth: int) -> str:
        head, again = self.node("none"), self.node("exclusive")
        self.edges.append((before, head))
        self.edges += [(self.block(head, depth - 1), again), (again, head)]
        return again

    def graph(self, depth: int) -> Graph:
        first = self.node("begin")
        last, end = self.block(first, depth), self.node("end")
        self.edges.append((last, end))
        edges = {f"r{n}": Edge(f"r{n}", *ends) for n, ends in enumerate(self.edges)}
        nodes = {
            name: Node(
                name,
                kind,
                tuple(edge.name for edge in edges.values() if edge.target == name),
                tuple(edge.name for edge in edges.values() if edge.source == name),
            )
            for name, kind in self.nodes.items()
        }
        return Graph("random", nodes, edges, nodes[first].outward)


def dead(graph: Graph) -> bool | None:
    """Return whether the checks find a dead end; None if they do not examine all states."""
    codes = {problem.code for problem in check(graph)}
    if codes & {"grows", "not_examined"}:
        return None
    return "dead_end" in codes


@pytest.mark.parametrize("part", range(4))
def test_dead_ends_are_found_where_and_only_where_an_order_of_moves_has_one(part: int) -> None:
    known = {True: 0, False: 0}
    for seed in range(part * 60, part * 60 + 60):
        kinds = KINDS if seed % 2 else KINDS[:2]
        graph = Maker(seed, sound=seed % 5 == 0, kinds=kinds).graph(2)
        found = every_order(graph, 2_000)
        predicted = dead(graph)
        if found is not None and predicted is not None:
            assert predicted == found.dead, (seed, graph.nodes, graph.edges)
            known[predicted] += 1
    assert known[True] > 3 and known[False] > 10


def test_the_sound_graphs_of_larger_size_end_in_sampled_orders() -> None:
    random = Random(5)  # noqa: S311
    for seed in range(40):
        graph = Maker(1_000 + seed, sound=True, kinds=KINDS[:2]).graph(4)
        found = sampled(graph, random, 10, 400)
        assert dead(graph) in (False, None) and not found.dead, seed


def test_the_scheduler_visits_the_same_edges_as_every_order_without_choices() -> None:
    for seed in range(60):
        graph = Maker(2_000 + seed, sound=seed % 2 == 0, kinds=("parallel",)).graph(3)
        if any(node.kind == "exclusive" for node in graph.nodes.values()):
            continue  # a loop decides by data
        walked = walk(graph)
        random = Random(seed)  # noqa: S311
        ends = every_order(graph, 500, visited_edges=True) or sampled(graph, random, 20)
        assert {visited for _state, visited in ends.found} == {
            tuple(sorted((edge, walked.visited.count(edge)) for edge in {*walked.visited}))
        }
        assert (walked.outcome == "deadlock") == ends.dead


def test_a_random_choice_of_the_scheduler_is_one_of_the_ends_of_every_order() -> None:
    for seed in range(60):
        graph = Maker(3_000 + seed, sound=False).graph(2)
        random = Random(seed)  # noqa: S311
        options = {
            node.name: [[random.choice(node.outward)] for _n in range(3)] + [[node.outward[0]]]
            for node in graph.nodes.values()
            if node.kind in ("exclusive", "inclusive") and len(node.outward) > 1
        }
        found = every_order(graph, 3_000)
        walked = walk(graph, choices=options)
        if found is not None and walked.outcome in ("ended", "deadlock"):
            assert found.dead if walked.outcome == "deadlock" else found.ended
