"""What can happen from a state of a trial: each pending transition with each known result, within limits.

Results are those of declared stand-ins and the most frequent ones of the history. A state that was reached
before is not followed again.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from flows import json_text
from flows.designer.draft.content import Design
from flows.designer.trial import path
from flows.designer.trial.path import Step
from flows.designer.trial.results import Known, Result
from flows.errors import Refused, TooSlow
from flows.labels import rule_title
from flows.types import Situation

MOST_NODES = 60
DEEPEST = 12
SECONDS = 5.0
WIDTH, HEIGHT, GAP_X, GAP_Y = 200, 40, 36, 10
LONGEST = 26


@dataclass
class Node:
    """A state of the tree: how it is reached, what it is, and what follows it."""

    number: int
    title: str
    result: str
    situation: Situation
    steps: tuple[Step, ...] = ()
    recorded: bool = False
    same_as: int | None = None
    notes: list[str] = field(default_factory=list)
    children: list[Node] = field(default_factory=list)
    x: int = 0
    y: int = 0

    @property
    def action(self) -> str:
        """Return the value of the button that opens the state: the steps to it from the present one."""
        return f"go:{path.write_path(self.steps)}"

    @property
    def texts(self) -> tuple[str, str]:
        return _cut(self.title), _cut(self.result)


@dataclass(frozen=True)
class Tree:
    """The tree as a picture and as its root; `cut` says that more can happen than it has."""

    root: Node
    nodes: list[Node]
    edges: list[tuple[str, bool]]
    width: int
    height: int
    cut: bool

    @property
    def limits(self) -> dict[str, int]:
        return {"nodes": MOST_NODES, "depth": DEEPEST}


def grow(design: Design, definition: dict[str, Any], last: Situation) -> Tree:
    """Return the tree from a situation of a trial."""
    growing = _Growing(design, definition)
    root = Node(1, _("Now"), "", last)
    growing.nodes.append(root)
    growing.seen[_key(last)] = 1
    cut = growing.run(root)
    _place(root, 0, 0)
    nodes = growing.nodes
    return Tree(
        root,
        nodes,
        [(_edge(node, child), child.recorded) for node in nodes for child in node.children],
        max(node.x for node in nodes) + WIDTH + 2,
        max(node.y for node in nodes) + HEIGHT + 2,
        cut,
    )


class _Growing:
    """The nodes so far; breadth first, so that a limit cuts the far states."""

    def __init__(self, design: Design, definition: dict[str, Any]) -> None:
        self.design, self.definition = design, definition
        self.known = Known(design, definition)
        self.nodes: list[Node] = []
        self.seen: dict[str, int] = {}

    def run(self, root: Node) -> bool:
        """Grow the tree; return whether a limit ended it."""
        end = time.monotonic() + SECONDS
        waiting = deque([root])
        while waiting:
            node = waiting.popleft()
            if node.same_as is not None or node.situation.status != "R":
                continue
            for step, title, result, recorded in self._branches(node):
                if len(self.nodes) >= MOST_NODES or len(node.steps) >= DEEPEST or time.monotonic() > end:
                    node.notes.append(_("more can follow; open this state to see it"))
                    return True
                child = self._child(node, step, title, result)
                if child:
                    child.recorded = recorded
                    waiting.append(child)
        return False

    def _branches(self, node: Node) -> Iterator[tuple[Step, str, str, bool]]:
        """Return the possible next events: results of pending transitions, and times that come."""
        now = node.situation
        for place in now.pending:
            title = rule_title(self.definition["triggers"][place])
            if place in now.parked:
                continue
            found = self.known.stand_in(place, now.state)
            if found and found.error:
                node.notes.append(found.error)
            results = [*(found.results if found else []), *self.known.recorded(place)]
            if not results:
                node.notes.append(_("no result of %(rule)s is known") % {"rule": title})
            different: dict[str, Result] = {}
            for each in results:
                different.setdefault(_text(each.changes), each)
            for each in different.values():
                yield Step("complete", place, dict(each.changes)), title, each.text, each.recorded
        for place in now.waiting:
            title = rule_title(self.definition["triggers"][place])
            yield Step("due", place), title, _("the time has come"), False

    def _child(self, node: Node, step: Step, title: str, result: str) -> Node | None:
        try:
            with path.limited():
                after = path.perform(self.design.name, self.definition, step, node.situation)
        except (Refused, TooSlow) as error:
            node.notes.append(f"{title}, {result}: {error.sentence}")
            return None
        child = Node(len(self.nodes) + 1, title, result or _("changes nothing"), after, (*node.steps, step))
        child.same_as = self.seen.get(_key(after))
        self.seen.setdefault(_key(after), child.number)
        node.children.append(child)
        self.nodes.append(child)
        return child


def _key(now: Situation) -> str:
    """Return the key of all that decides what can follow: values, status, pending jobs and timers."""
    return _text([now.state, now.status, sorted(now.pending), sorted(now.parked), sorted(now.waiting)])


def _text(value: Any) -> str:
    return json_text.encode(value, sort_keys=True)


def _place(node: Node, depth: int, row: int) -> int:
    """Place a node beside its children, which stand below one another; return the next free row."""
    node.x = 1 + depth * (WIDTH + GAP_X)
    after = row
    for child in node.children:
        after = _place(child, depth + 1, after)
    node.y = 1 + row * (HEIGHT + GAP_Y)
    if len(node.children) > 1:
        node.y = (node.children[0].y + node.children[-1].y) // 2
    return max(after, row + 1)


def _edge(a: Node, b: Node) -> str:
    x, y, to_x, to_y = a.x + WIDTH, a.y + HEIGHT // 2, b.x - 1, b.y + HEIGHT // 2
    return f"M{x},{y} C{x + GAP_X // 2},{y} {to_x - GAP_X // 2},{to_y} {to_x},{to_y}"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
