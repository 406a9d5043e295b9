"""Groups of the rules of a large flow, so that its picture can be read: by what their conditions read.

The attribute that most conditions read, but not more than fit into a group, makes the first group; then the
attribute that most of the others read, and so on. What is left is cut into pieces in the order of definition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flows.queries.definitions import FlowInfo
from flows.queries.graph import Graph, Rule

# With fewer rules the picture can be read without groups.
GROUPED_FROM = 61
LARGEST, SMALLEST, PIECE = 30, 4, 20


@dataclass(frozen=True)
class RuleGroup:
    """Rules that are drawn as one box until it is opened; the id is that of the first one."""

    title: str
    rules: tuple[Rule, ...]

    @property
    def id(self) -> str:
        return f"g{self.rules[0].id}"


def grouped(drawn: Graph, flow: FlowInfo) -> tuple[RuleGroup, ...]:
    """Return the groups of a flow's picture, called by the labels of its attributes."""
    rules = [node.rule for node in drawn.nodes if node.rule]
    return rule_groups(rules, {each.name: each.title for each in flow.attributes})


def rule_groups(rules: Sequence[Rule], labels: Mapping[str, str]) -> tuple[RuleGroup, ...]:
    """Return the groups in the order of their first rules; `labels` are those of attributes by name."""
    if len(rules) < GROUPED_FROM:
        return ()
    left = {rule.id: rule for rule in rules if not rule.final}
    found = []
    while attribute := _next(left):
        members = tuple(rule for rule in left.values() if attribute in rule.reads)
        found.append(RuleGroup(labels.get(attribute) or attribute, members))
        for rule in members:
            del left[rule.id]
    places = {rule.id: place for place, rule in enumerate(rules)}
    return tuple(sorted([*found, *_pieces(list(left.values()))], key=lambda each: places[each.rules[0].id]))


def _next(left: Mapping[str, Rule]) -> str | None:
    """Return the attribute that most of the rules read, not more than fit into a group and not too few."""
    readers: dict[str, int] = {}
    for rule in left.values():
        for attribute in sorted(rule.reads):
            readers[attribute] = readers.get(attribute, 0) + 1
    fitting = [name for name, n in readers.items() if SMALLEST <= n <= LARGEST]
    return max(fitting, key=lambda name: readers[name], default=None)


def _pieces(rules: Sequence[Rule]) -> list[RuleGroup]:
    pieces = [tuple(rules[first : first + PIECE]) for first in range(0, len(rules), PIECE)]
    return [RuleGroup(_span(piece), piece) for piece in pieces]


def _span(rules: Sequence[Rule]) -> str:
    first, last = rules[0].title, rules[-1].title
    return first if len(rules) == 1 else f"{first} … {last}"
