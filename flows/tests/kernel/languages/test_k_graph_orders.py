"""Every order of the workers of a graph, orders by chance, and eight workers at once: no edge is lost or
visited twice, and each step is a move of the reference interpreter.

WEDSQL_SEEDS=1700 samples 10,000 orders of the larger graphs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from random import Random

import pytest

from flows import api
from flows.languages.graph import Graph, read
from flows.languages.graph.compiler import compile_graph
from flows.tests.graph.graph_reference import after, every_order, moves
from flows.tests.graph.test_graph_random import KINDS, Maker, dead
from flows.tests.kernel.languages.test_k_graphs import CHOICES, X, history, publish, visited
from flows.tests.kit import Kit, broken
from flows.tests.spread import seeds

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]


def every_way(kit: Kit) -> Iterator[int]:
    """Perform new instances, each in another order of their jobs, until there is no other one."""
    choices: list[int] = []
    while True:
        wid, made = kit.start(), []
        while kit.status(wid) == "R":
            ready = sorted(kit.jobs(wid))
            chosen = choices[len(made)] if len(made) < len(choices) else 0
            made.append((chosen, len(ready)))
            kit.run(ready[chosen], wid)
        yield wid
        while made and made[-1][0] + 1 == made[-1][1]:
            made.pop()
        if not made:
            return
        choices = [chosen for chosen, _of in made]
        choices[-1] += 1


def small_graphs() -> Iterator[tuple[Graph, int]]:
    """Return graphs without choices, with the number of orders of their reference; X is the first."""
    yield read(X), 0
    wanted = 4
    for seed in count(100):
        made = Maker(seed, sound=seed % 2 == 0, kinds=("parallel",)).graph(2)
        loops = any(node.kind == "exclusive" for node in made.nodes.values())
        if not loops and 5 < len(made.nodes) < 12 and every_order(made, 5_000, visited_edges=True):
            wanted -= 1
            yield made, seed
        if not wanted:
            return


def test_every_order_of_small_graphs_ends_as_the_reference_interpreter_says(kit: Kit) -> None:
    orders = []
    for made, seed in small_graphs():
        publish(kit, made)
        ends = set()
        orders.append(0)
        for wid in every_way(kit):
            orders[-1] += 1
            assert assert_each_step_is_a_move(kit, wid, made), seed
            found = history(kit, wid, made)
            edges = Counter(edge for visit in found for edge in visit.produced)
            ends.add((tuple(sorted(found[-1].waiting)), tuple(sorted(edges.items()))))
            assert orders[-1] < 500, seed
        expected = every_order(made, 5_000, visited_edges=True)
        assert expected is not None and ends == expected.found, seed
    assert orders[0] == 12 and sum(orders) > 100, orders
    assert broken(kit) == []


def test_eight_workers_at_once_lose_no_edge_of_graph_x_and_visit_none_twice(kit: Kit) -> None:
    graph = read(X)
    publish(kit, graph)
    names = [*compile_graph(graph).source_map["transitions"]]
    wids = [kit.start() for _instance in range(24)]

    def work(seed: int) -> set[int]:
        """Return the instances of which this worker performed a job; some jobs it gives back."""
        chance, conn, mine = Random(seed), kit.connect(), set()  # noqa: S311
        while kit.one("select count(*) from wedsql.job_pool where wid = any (%s)", [wids], conn):
            given_back = chance.random() < 0.1
            with conn.transaction(force_rollback=given_back):
                taken = api.jobs.take_many(kit.name, names, chance.randint(1, 3), conn=conn)
                for job in sorted(taken, key=lambda one: one.wid):  # else two may wait for each other
                    api.jobs.complete(job, {}, conn=conn)
                    mine |= set() if given_back else {job.wid}
        return mine

    with ThreadPoolExecutor(8) as pool:
        shares = [*pool.map(work, range(8))]

    assert sum(map(len, shares)) > len(wids), "several workers performed jobs of one instance"
    for wid in wids:
        assert kit.status(wid) == "F" and visited(kit, wid) == Counter("bcdefghijk")
        edges = Counter(edge for visit in history(kit, wid, graph) for edge in visit.produced)
        assert edges == Counter([*graph.edges])
    assert broken(kit) == []


class RicherMaker(Maker):
    """Makes graphs with event gateways, too."""

    def split(self, before: str, depth: int) -> str:
        if self.random.random() < 0.7:
            return super().split(before, depth)
        fork, join = self.node("event"), self.node("none")
        self.edges.append((before, fork))
        for _branch in range(2):
            task = self.node("task")
            self.edges.append((fork, task))
            self.edges.append((self.block(task, depth - 1), join))
        return join


def with_conditions(made: Graph) -> Graph:
    """Return the graph with conditions over the data: x chooses at gateways, bit by bit at inclusive ones."""
    edges = {}
    for name, edge in made.edges.items():
        node = made.nodes[edge.source]
        place = node.outward.index(name)
        if node.kind == "exclusive" and len(node.outward) > 1:
            last = name == node.outward[-1]
            condition = None if last else f"x % {len(node.outward)} = {place}"
            edge = replace(edge, condition=condition, default=last)
        elif node.kind == "inclusive" and place:
            edge = replace(edge, condition=f"(x / {2**place}) % 2 = 1")
        edges[name] = edge
    return replace(made, edges=edges, attributes=tuple(CHOICES))


def assert_each_step_is_a_move(kit: Kit, wid: int, made: Graph) -> bool:
    """Assert that each step of an instance is a move of the reference interpreter; return if none is left."""
    state: tuple[str, ...] = ()
    for visit in history(kit, wid, made):
        if visit.node is None:
            state = tuple(sorted(visit.produced))
            assert state == tuple(sorted(made.start))
            continue
        consumed = list(visit.consumed)
        for edge in visit.consumed:
            gateway = made.target(edge)
            if gateway.name != visit.node:  # an event gateway, whose token its task consumes
                assert gateway.kind == "event"
                (taken,) = (one for one in gateway.outward if made.target(one).name == visit.node)
                assert ((edge,), (taken,)) in moves(made, state)
                state = after(state, (edge,), (taken,))
                consumed[consumed.index(edge)] = taken
        move = tuple(sorted(consumed)), tuple(sorted(visit.produced))
        legal = {(tuple(sorted(taken)), tuple(sorted(given))) for taken, given in moves(made, state)}
        assert move in legal, (visit, state)
        state = after(state, *move)
        assert state == tuple(sorted(visit.waiting))
    return not [*moves(made, state)]


def some_graphs() -> Iterator[Graph]:
    """Return random graphs, half of them with dead ends."""
    wanted = {True: 3, False: 3}
    for seed in count(4_000):
        made = RicherMaker(seed, sound=seed % 3 == 0, kinds=KINDS if seed % 2 else KINDS[:2]).graph(2)
        found = dead(made)
        if found is not None and wanted[found] and len(made.nodes) > 6:
            wanted[found] -= 1
            yield with_conditions(made)
        if not any(wanted.values()):
            return


def test_each_step_of_random_graphs_is_a_move_of_the_reference_interpreter(kit: Kit) -> None:
    random = Random(8)  # noqa: S311
    ended = Counter[str]()
    for made in some_graphs():
        publish(kit, made)
        for _order in seeds(3, short=1):
            wid = kit.start(x=random.randrange(16))
            for _job in range(40):
                if kit.status(wid) != "R":
                    break
                kit.run(random.choice(kit.pending(wid)).trname, wid, x=random.randrange(16))
            status = kit.status(wid)
            ended[status] += 1
            over = assert_each_step_is_a_move(kit, wid, made)
            assert over == (status != "R")
            assert (status == "F") == (over and not any(kit.state(wid)[f"t_{edge}"] for edge in made.edges))
    assert ended["F"] > 3 and ended["E"] > 1
    assert broken(kit) == []
