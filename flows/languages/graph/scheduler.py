"""The deterministic scheduler: which edge is executed at which step, and the threads and pointer after it.

A thread is an edge that is executed next. A step executes the thread at the pointer, replaces it by the edges
that its target produces, and moves the pointer behind them, or to the first thread after the last one. So the
same graph with the same choices always gives the same steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from flows.languages.graph.model import Graph
from flows.languages.graph.problems import BadGraph, Problem
from flows.languages.graph.tokens import Firing, Rules, State

MOST_STEPS, MOST_THREADS = 10_000, 1_000
Choices = Mapping[str, Sequence[Sequence[str]]]
"""The edges that a node takes when it fires first, second, ...; the last ones also at all later times."""
Forks = tuple[tuple[str, str], ...]
"""The way of a thread: each fork that it passed, and the edge that it took there."""
Outcome = Literal["ended", "deadlock", "repeats", "undecided", "planned"]


@dataclass(frozen=True)
class Step:
    """One step: the edge that was executed (None at the beginning), and the threads and pointer after it.

    `address` has the new threads behind the forks that lead to them: a/b(r2,r3).
    """

    number: int
    executed: str | None
    threads: tuple[str, ...]
    pointer: int
    new: tuple[str, ...] = ()
    address: str = ""


@dataclass(frozen=True)
class Walk:
    """The steps of a graph, and how they end.

    `waiting` are the nodes of a deadlock that have some of their tokens, or the node whose choice is missing;
    `repeats` is the step whose threads, pointer and tokens are those of the last one.
    """

    steps: tuple[Step, ...]
    outcome: Outcome
    waiting: tuple[str, ...] = ()
    repeats: int | None = None

    @property
    def visited(self) -> tuple[str, ...]:
        """Return the executed edges in their order."""
        return tuple(step.executed for step in self.steps if step.executed is not None)


class _Undecided(Exception):
    """A choice is not given; no error."""


@dataclass(frozen=True)
class _Thread:
    edge: str
    forks: Forks


@dataclass
class _Scheduler:
    graph: Graph
    choices: Choices
    rules: Rules = field(init=False)
    state: State = field(default_factory=State)
    threads: list[_Thread] = field(init=False)
    pointer: int = 1
    forks: dict[str, list[Forks]] = field(default_factory=dict)  # of the tokens that arrived, by edge
    entered: dict[str, list[Forks]] = field(default_factory=dict)  # of those within a sub-process
    taken: dict[str, int] = field(default_factory=dict)  # choices by node
    left: dict[str, int] | None = None  # how often each node may still fire; None: without limit

    def __post_init__(self) -> None:
        self.rules = Rules(self.graph)
        starts = ((self.graph.edges[edge].source, edge) for edge in self.graph.start)
        self.threads = [_Thread(edge, ((node, edge),)) for node, edge in starts]

    def begin(self) -> Step:
        return self.record(0, None, self.threads)

    def step(self, number: int) -> Step:
        """Execute the thread at the pointer."""
        length, place = len(self.threads), self.pointer - 1
        thread = self.threads.pop(place)
        self.state.travelling = [each.edge for each in self.threads]
        self.state.arrive(thread.edge)
        self.forks.setdefault(thread.edge, []).append(thread.forks)
        new = self.fire(thread.edge)
        self.threads[place:place] = new
        self.pointer = 1 if self.pointer == length else self.pointer + len(new)
        if not self.threads:
            self.pointer = 0
        return self.record(number, thread.edge, new)

    def record(self, number: int, executed: str | None, new: list[_Thread]) -> Step:
        threads = tuple(each.edge for each in self.threads)
        return Step(
            number,
            executed,
            threads,
            self.pointer,
            tuple(each.edge for each in new),
            addresses((each.edge, each.forks) for each in new),
        )

    def fire(self, edge: str) -> list[_Thread]:
        """Return the threads of all that fires because a token arrived by an edge."""
        new: list[_Thread] = []
        firing = next(self.rules.firings(self.state, self.graph.target(edge)), None)
        while firing is not None:
            new += self.perform(firing)
            self.state.travelling = [each.edge for each in (*self.threads, *new)]
            waiting = (self.graph.nodes[name] for name in self.rules.waiting(self.state))
            firing = next((one for node in waiting for one in self.rules.firings(self.state, node)), None)
        return new

    def perform(self, firing: Firing) -> list[_Thread]:
        if self.left is not None:
            if not self.left.get(firing.node):
                raise _Undecided(firing.node)
            self.left[firing.node] -= 1
        produced = self.choose(firing.node, self.rules.produced(firing))
        self.rules.consume(self.state, firing)
        came = [self.forks[edge].pop(0) for edge in firing.consumed]
        if firing.what == "enter":
            self.entered[firing.node] = came
            return [_Thread(edge, (*came[0], (firing.node, edge))) for edge in produced]
        way = common(came or self.entered.pop(firing.node, [()]))
        if len(produced) == 1:
            return [_Thread(produced[0], way)]
        return [_Thread(edge, (*way, (firing.node, edge))) for edge in produced]

    def choose(self, node: str, options: list[tuple[str, ...]]) -> tuple[str, ...]:
        if len(options) == 1:
            return options[0]
        given = self.choices.get(node)
        if not given:
            raise _Undecided(node)
        count = self.taken.get(node, 0)
        self.taken[node] = count + 1
        wanted = {*given[min(count, len(given) - 1)]}
        return next(option for option in options if {*option} == wanted)

    def key(self) -> object:
        """Return a key of all that decides further steps."""
        places = ((node, min(count, len(self.choices[node]) - 1)) for node, count in self.taken.items())
        threads = tuple(each.edge for each in self.threads)
        return threads, self.pointer, self.state.key(), frozenset(place for place in places if place[1])

    def stuck(self) -> tuple[str, ...]:
        """Return the nodes that have some of their tokens."""
        found = {self.graph.edges[edge].target for edge in self.state.arrived} | {*self.state.activated}
        return tuple(name for name in self.graph.nodes if name in found)


def walk(
    graph: Graph, *, steps: int = 0, choices: Choices | None = None, fired: Mapping[str, int] | None = None
) -> Walk:
    """Return the steps of the graph from its beginning: all, or the first `steps`.

    Without a number, a walk stops where it begins to repeat itself; with `fired`, at a node that would fire
    more often. Raises BadGraph for choices that the graph does not have, and for more than 1,000 threads.
    """
    scheduler = _Scheduler(graph, choices or {}, left=None if fired is None else {**fired})
    _check_choices(scheduler.rules, choices or {})
    done = [scheduler.begin()]
    seen = {scheduler.key(): 0}
    while scheduler.threads:
        if len(done) > (steps or MOST_STEPS):
            return Walk(tuple(done), "planned")
        try:
            done.append(scheduler.step(len(done)))
        except _Undecided as undecided:
            return Walk(tuple(done), "undecided", (str(undecided),))
        if len(scheduler.threads) > MOST_THREADS:
            message = f"There are more than {MOST_THREADS} threads after step {done[-1].number}."
            raise BadGraph([Problem("too_many_threads", message)])
        before = seen.setdefault(scheduler.key(), done[-1].number)
        if not steps and before < done[-1].number:
            return Walk(tuple(done), "repeats", repeats=before)
    stuck = scheduler.stuck()
    return Walk(tuple(done), "deadlock" if stuck else "ended", stuck)


def _check_choices(rules: Rules, choices: Choices) -> None:
    """Reject choices of nodes that have none, and of edges that no choice of the node takes together."""
    for name, given in choices.items():
        node = rules.graph.nodes.get(name)
        what: Literal["activate", "fire"] = "activate" if node and node.kind == "complex" else "fire"
        options = rules.produced(Firing(name, what)) if node else []
        if node is None or len(options) < 2:
            message = f"“{name[:40]}” is no node that chooses among its edges."
            raise BadGraph([Problem("bad_choice", message)])
        for edges in given:
            if {*edges} not in [{*option} for option in options]:
                message = f"Node “{name}” cannot choose {'+'.join(edges)[:80]}."
                raise BadGraph([Problem("bad_choice", message, *rules.graph.places(node.path))])


def common(ways: Sequence[Forks]) -> Forks:
    """Return the forks that all ways have passed by the same edge."""
    found = []
    for forks in zip(*ways, strict=False):
        if len({*forks}) > 1:
            break
        found.append(forks[0])
    return tuple(found)


def addresses(threads: Iterable[tuple[str, Forks]]) -> str:
    """Return the threads behind their forks; those of the same forks together."""
    found: dict[str, list[str]] = {}
    for edge, forks in threads:
        found.setdefault("/".join(node for node, _edge in forks), []).append(edge)
    return " ".join(f"{nodes}({','.join(edges)})" for nodes, edges in found.items())
