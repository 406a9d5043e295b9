"""The definition that a graph becomes, what its parts are made of, and checks of it as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flows.languages.graph.model import Graph, Node, may_stay
from flows.languages.graph.positions import positions
from flows.languages.graph.problems import BadGraph, Problem
from flows.languages.graph.ways import MOST_CHARACTERS, fits, words


@dataclass(frozen=True)
class Compiled:
    """The definition of a flow, and of which node or edge each of its parts is made."""

    definition: dict[str, Any]
    attributes: tuple[str | None, ...]
    triggers: tuple[str | None, ...]

    @property
    def source_map(self) -> dict[str, dict[str, str]]:
        """Return the edges of attributes, and the nodes of transitions and of rules, by their names.

        Several rules may have one transition, whose node is then that of the last one.
        """
        names = (attribute["name"] for attribute in self.definition["attributes"])
        edges = zip(names, self.attributes, strict=True)
        made = [*zip(self.definition["triggers"], self.triggers, strict=True)]
        return {
            "attributes": {name: edge for name, edge in edges if edge is not None},
            "transitions": {each["transition"]: node for each, node in made if node is not None},
            "rules": {each["name"]: node for each, node in made if node is not None},
        }


def check_parts(graph: Graph, compiled: Compiled) -> None:
    """Reject names that collide with those of counters or of other nodes, and rules that are too long."""
    problems = []
    seen: dict[str, Any] = {}
    for number, attribute in enumerate(compiled.definition["attributes"]):
        name = str(attribute.get("name", "")).lower()
        if name in seen:
            path = ("attributes", min(number, seen[name]))
            message = f"The name “{name[:60]}” is needed for an edge or a node, or there twice."
            problems.append(Problem("name_collides", message, *graph.places(path)))
        seen.setdefault(name, number)
    of: dict[str, tuple[str | None, Mapping[str, Any]]] = {}
    for trigger, node in zip(compiled.definition["triggers"], compiled.triggers, strict=True):
        texts = (trigger["predicate"], trigger.get("sets", ""))
        if node is not None and not all(map(fits, texts)):
            size = max(map(words, texts))
            message = (
                f"Node “{node}” has too many edges or conditions for one rule ({size} words and signs, or "
                f"more than {MOST_CHARACTERS:,} characters). Divide it into several nodes."
            )
            problems.append(Problem("too_large", message, *graph.places(graph.nodes[node].path)))
        other, its = of.setdefault(trigger.get("transition", ""), (node, trigger))
        if node is None or other is None or other == node:
            continue
        if not _may_share((graph.nodes[other], graph.nodes[node]), (its, trigger)):
            message = f"Nodes “{other}” and “{node}” would be the same transition."
            problems.append(Problem("name_collides", message, *graph.places(graph.nodes[node].path)))
    if problems:
        raise BadGraph(problems)


def _may_share(nodes: Iterable[Node], rules: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether nodes may have one transition: one of them names it, and they are performed alike."""
    named = any("transition" in node.rule.options for node in nodes)
    kinds = [(rule["performer"], rule.get("signal"), rule.get("child")) for rule in rules]
    alike = (kinds[0][0], kinds[0][1], None)
    return named and alike[0] != "database" and all(kind == alike for kind in kinds)


def source_of(graph: Graph, text: str, format_: str, compiled: Compiled) -> Mapping[str, Any]:
    """Return the source that is kept with the flow, so that pages can show the graph.

    `choosing` has the nodes at which no way on may be open, by the attributes with the tokens there.
    """
    made = compiled.definition["attributes"][len(graph.attributes) :]
    internal = [attribute["name"] for attribute in made]
    targets = {
        name: graph.nodes.get(graph.edges[edge].target)
        for name, edge in compiled.source_map["attributes"].items()
        if edge in graph.edges
    }
    choosing = {
        name: str(node.options.get("label") or node.name)
        for name, node in targets.items()
        if node is not None and may_stay(node, [graph.edges[each] for each in node.outward])
    }
    facts: dict[str, Any] = {**compiled.source_map, "internal": internal, "choosing": choosing}
    facts["positions"] = positions(graph, compiled.source_map["attributes"], graph.edges)
    return {"language": "graph", "format": format_, "text": text, "map": facts}
