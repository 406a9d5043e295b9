"""What the script of a picture draws, for the designer and for the monitor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from flows.queries.graph import Graph, Node
from flows.queries.rule_groups import RuleGroup


def name(node: Node) -> str:
    """Return the name of a node as the page shows it."""
    if node.rule and (node.kind == "rule" or node.rule.named):
        return node.rule.title
    return {
        "start": pgettext("in a picture", "Start"),
        "final": pgettext("in a picture", "Final"),
        "exception": _("Exception"),
        "other": _("Other changes"),
    }[node.kind]


def data(drawn: Graph, groups: Sequence[RuleGroup], *, coded: bool = True) -> dict[str, Any]:
    """Return the data of the drawing; the script derives declared edges, and reads conditions in the table.

    coded: whether the names of transitions are beside the labels of their rules.
    """
    attributes = sorted({a for n in drawn.nodes if n.rule for a in (*n.rule.reads, *(n.rule.writes or ()))})
    places = {attribute: place for place, attribute in enumerate(attributes)}
    return {
        "attributes": attributes,
        "nodes": [_node(node, places, coded) for node in drawn.nodes],
        "edges": [[edge.source, edge.target, edge.count] for edge in drawn.observed],
        "groups": [
            {"id": group.id, "title": group.title, "rules": [rule.id for rule in group.rules]}
            for group in groups
        ],
    }


def _node(node: Node, places: dict[str, int], coded: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"id": node.id, "kind": node.kind, "title": name(node)}
    if rule := node.rule:
        found["reads"] = [places[attribute] for attribute in sorted(rule.reads)]
        if not rule.final:
            found["transition"] = rule.transition if coded and rule.transition != rule.title else ""
            found["writes"] = [places[attribute] for attribute in sorted(rule.writes or ())]
        if not rule.enabled:
            found["enabled"] = False
    return found
