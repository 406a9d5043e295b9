"""A reference interpreter of PDL for tests: the dissertation's scheduler, with dependency trees that notify.

It shares no code with the product but the model of a text: each node of a tree has a value that begins as
false and stays true; an activity that changes to a state notifies the leaves of its dependents.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from flows.languages.pdl.model import Rule, Term, Workflow


@dataclass(eq=False)
class Node:
    """A node of a dependency tree; the parent of a root is the name of its activity."""

    operator: str
    parent: Node | str
    children: list[Node] = field(default_factory=list)
    value: bool = False


class Process:
    """One instance; `automatic` tasks are begun as soon as they are ready."""

    def __init__(self, workflow: Workflow, automatic: set[str]) -> None:
        self.automatic = automatic
        self.states = {each.id: "NOT_READY" for each in workflow.activities}
        self.leaves: dict[tuple[str, str], list[Node]] = {}
        for each in workflow.activities:
            if each.rule is not None:
                self.plant(each.rule, each.id)
        for each in workflow.activities:
            if each.rule is None:
                self.change(each.id, "READY")

    def plant(self, rule: Rule, parent: Node | str) -> Node:
        """Make the tree of a rule."""
        node = Node("leaf" if isinstance(rule, Term) else rule.operator, parent)
        if isinstance(rule, Term):
            self.leaves.setdefault((rule.activity, rule.state), []).append(node)
        else:
            node.children = [self.plant(part, node) for part in rule.parts]
        return node

    def change(self, name: str, state: str) -> None:
        """Change an activity to a state, and notify the trees that wait for that."""
        self.states[name] = state
        if state == "READY" and name in self.automatic:
            self.notify(name, "READY")
            self.change(name, "RUNNING")
            return
        self.notify(name, state)

    def notify(self, name: str, state: str) -> None:
        for leaf in self.leaves.get((name, state), []):
            self.turn(leaf)

    def turn(self, node: Node) -> None:
        """Make a node true, and its parents as far as that makes them true."""
        if node.value:
            return
        node.value = True
        if isinstance(node.parent, str):
            if self.states[node.parent] == "NOT_READY":
                self.change(node.parent, "READY")
            return
        values = [child.value for child in node.parent.children]
        if all(values) if node.parent.operator == "AND" else any(values):
            self.turn(node.parent)

    def active(self) -> list[str]:
        """Return the activities that are ready or running."""
        return [name for name, state in self.states.items() if state in ("READY", "RUNNING")]

    def finish(self, name: str, state: str) -> None:
        """End an activity, which was begun before."""
        if self.states[name] == "READY":
            self.change(name, "RUNNING")
        self.change(name, state)


def random_text(random: Random, most: int = 8) -> str:
    """Return a random workflow without cycles, each of whose tasks can be reached."""
    count = random.randint(1, most)
    tasks = []
    for number in range(count):
        first = number == 0 or random.random() < 0.2
        rule = "" if first else f"DEPENDS {_rule(random, number, 2)}; "
        tasks.append(f"  TASK t{number}: {random.choice(('m', 'm', 'auto'))} {{ {rule}}}\n")
    random.shuffle(tasks)
    return f"WORKFLOW w {{\n{''.join(tasks)}}}\n"


def _rule(random: Random, number: int, depth: int) -> str:
    if depth == 0 or random.random() < 0.3:
        state = random.choice(("SUCCEEDED", "SUCCEEDED", "SUCCEEDED", "FAIL", "FAILED", "READY", "RUNNING"))
        return f"t{random.randrange(number)} -> {state}"
    parts = (_rule(random, number, depth - 1) for _each in range(random.randint(1, 3)))
    return f"{random.choice(('AND', 'OR'))}({', '.join(parts)})"
