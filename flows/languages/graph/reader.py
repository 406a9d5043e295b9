"""Reading a graph: the text to nodes and edges, or every reason why it is none, with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import yaml

from flows.definition.files import FORMATS, NotReadable, node_of
from flows.definition.places import LARGEST, nodes_of, unstorable
from flows.languages.graph import terms
from flows.languages.graph.model import KINDS, Edge, Graph, Node, Path, Places
from flows.languages.graph.problems import BadGraph, Problem

MOST_NODES, MOST_EDGES, MOST_PROBLEMS = 2_000, 4_000, 100
_NOT_STORED = re.compile("[\0\ud800-\udfff]")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_]{0,39}")
_TOP = {"graph": str, "start": list, "edges": list, "nodes": list, "attributes": list}
_EDGE = {"edge": str, "from": str, "to": str, "condition": str, "default": bool}
_NODE = {
    "node": str,
    "in": list,
    "out": list,
    "type": str,
    "within": str,
    "need": (int, list),
    "options": dict,
}
_SHORT = {"edges": ("edge", "from", "to", "condition"), "nodes": ("node", "in", "out", "type")}


def read(text: str, format_: str = "", name: str = "") -> Graph:
    """Read a graph from a text in the format "json", "yaml" or, for any other name, the article's lists.

    Raises BadGraph with all problems that are found.
    """
    if len(text) > LARGEST:
        message = f"The text has {len(text)} characters; at most {LARGEST} are read."
        raise BadGraph([Problem("too_large", message)])
    if found := _NOT_STORED.search(text):
        message = f"The character U+{ord(found[0]):04X} cannot be stored."
        raise BadGraph([Problem("syntax", message, *terms.place(text, found.start()))])
    content, places = _located(text, format_) if format_ in FORMATS else _terms(text)
    return _Reader(places).graph(content, name)


def _terms(text: str) -> tuple[Any, Places]:
    content, starts = terms.content(text)

    def places(path: Path) -> tuple[int, int]:
        while path and path not in starts:
            path = path[:-1]
        return terms.place(text, starts.get(path, 0))

    return content, places


def _located(text: str, format_: str) -> tuple[Any, Places]:
    try:
        content = FORMATS[format_].content(text)
    except NotReadable as error:
        raise BadGraph([Problem("syntax", f"It is {error}.", error.line, error.column)]) from error
    if reason := unstorable(content):
        raise BadGraph([Problem("syntax", reason)])

    @cache  # only an error needs places, and reading them takes longer than reading the content
    def nodes() -> Mapping[Path, yaml.Node]:
        try:
            root = node_of(text)
        except (ValueError, RecursionError, yaml.YAMLError):  # JSON that is no YAML has no places
            root = None
        return dict(nodes_of(root, ())) if root is not None else {}

    def places(path: Path) -> tuple[int, int]:
        while path and path not in nodes():
            path = path[:-1]
        node = nodes().get(path)
        return (node.start_mark.line + 1, node.start_mark.column + 1) if node is not None else (0, 0)

    return content, places


@dataclass
class _Reader:
    """Collects the problems of a text while it makes a graph of it."""

    places: Places
    problems: list[Problem] = field(default_factory=list)

    def note(self, code: str, message: str, path: Path) -> None:
        """Add a problem; stop where there are many, which have few causes."""
        self.problems.append(Problem(code, message, *self.places(path)))
        if len(self.problems) == MOST_PROBLEMS:
            self.stop_at_problems()

    def stop_at_problems(self) -> None:
        """Raise BadGraph if there are problems."""
        if self.problems:
            raise BadGraph(self.problems)

    def graph(self, content: Any, name: str) -> Graph:
        top = self.options(content, _TOP, (), "a graph with the list “edges”")
        self.stop_at_problems()
        edges = {edge.name: edge for edge in self.edges(top.get("edges", []))}
        given = dict(self.nodes(top.get("nodes", [])))
        if not top.get("edges"):
            self.note("no_edges", "The graph has no edges.", ("edges",))
        self.limit(len({end for edge in edges.values() for end in (edge.source, edge.target)} | {*given}))
        nodes = self.derived(edges, given)
        start = self.start(top.get("start"), nodes, edges)
        self.stop_at_problems()
        attributes = tuple(self.attributes(top.get("attributes", [])))
        self.stop_at_problems()
        return Graph(str(top.get("graph", name)), nodes, edges, start, attributes, self.places)

    def attributes(self, listed: list[Any]) -> Iterator[Mapping[str, Any]]:
        """Return the attributes of the data, which the kernel checks."""
        for number, item in enumerate(listed):
            if isinstance(item, dict):
                yield item
            else:
                self.note("not_an_object", "It is not an attribute with its options.", ("attributes", number))

    def limit(self, nodes: int) -> None:
        """Stop at once where a list is too long to be examined, or is wrong already."""
        if nodes > MOST_NODES:
            self.note("too_large", f"The graph has {nodes} nodes; at most {MOST_NODES} are read.", ())
        self.stop_at_problems()

    def options(self, item: Any, known: Mapping[str, Any], path: Path, what: str) -> dict[str, Any]:
        """Return the options of an object that are known and have the right type."""
        if not isinstance(item, dict):
            self.note("not_an_object", f"It is not {what}.", path)
            return {}
        found = {}
        for key, value in item.items():
            if key not in known:
                self.note("unknown_option", f"“{str(key)[:40]}” is no option here.", (*path, str(key)))
            elif (isinstance(value, bool) and known[key] is not bool) or not _is(value, known[key]):
                self.note("wrong_type", f"The value of “{key}” has the wrong type.", (*path, key))
            else:
                found[key] = str(value) if known[key] is str else value
        return found

    def items(self, kind: str, listed: list[Any], known: Mapping[str, Any]) -> Iterator[tuple[Path, Any]]:
        """Return the options of each item of a list that has a name of its own, with its place."""
        seen: dict[str, str] = {}
        if kind == "edges" and len(listed) > MOST_EDGES:
            message = f"The graph has {len(listed)} edges; at most {MOST_EDGES} are read."
            raise BadGraph([Problem("too_large", message)])
        for number, item in enumerate(listed):
            if isinstance(item, list):
                item = dict(zip(_SHORT[kind], item, strict=False)) if len(item) <= 4 else item
            path = (kind, number)
            options = self.options(item, known, path, f"one of the {kind}")
            name = self.name(options, kind[:-1], path)
            if name is None:
                continue
            if name.lower() in seen:
                self.note("name_collides", _collision(kind, name, seen[name.lower()]), path)
            else:
                seen[name.lower()] = name
                yield path, options

    def name(self, options: Mapping[str, Any], option: str, path: Path) -> str | None:
        """Return a name that an item must have."""
        name = options.get(option)
        if name is None:
            self.note("no_name", f"“{option}” is missing.", path)
        elif not _NAME.fullmatch(name):
            message = f"“{name[:60]}” is no name: letters, digits and _, at most 40, the first one no _."
            self.note("bad_name", message, (*path, option))
        else:
            return str(name)
        return None

    def edges(self, listed: list[Any]) -> Iterator[Edge]:
        for path, options in self.items("edges", listed, _EDGE):
            ends = [self.name(options, option, path) for option in ("from", "to")]
            if ends[0] is not None and ends[1] is not None:
                condition, default = options.get("condition"), options.get("default", False)
                yield Edge(options["edge"], ends[0], ends[1], condition, default, path)

    def nodes(self, listed: list[Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        for path, options in self.items("nodes", listed, _NODE):
            if options.get("type", "task") not in KINDS:
                message = f"“{options['type'][:40]}” is no type of a node. There are {', '.join(KINDS)}."
                self.note("unknown_type", message, (*path, "type"))
            else:
                yield options["node"], options | {"path": path}

    def derived(self, edges: Mapping[str, Edge], given: Mapping[str, dict[str, Any]]) -> dict[str, Node]:
        """Return the list N: each node with its edges, which N of the text must agree with."""
        inward: dict[str, list[str]] = {name: [] for name in given}
        outward: dict[str, list[str]] = {name: [] for name in given}
        self.same_letters(edges, given)
        for edge in edges.values():
            for end in (edge.source, edge.target):
                inward.setdefault(end, [])
                outward.setdefault(end, [])
            outward[edge.source].append(edge.name)
            inward[edge.target].append(edge.name)
        found = {}
        for name in inward:
            options = given.get(name, {})
            ordered = {
                key: self.agreeing(name, key, tuple(side[name]), options)
                for key, side in (("in", inward), ("out", outward))
            }
            node = Node(name, options.get("type", ""), ordered["in"], ordered["out"])
            need, path = self.needed(options, node), options.get("path", ("edges",))
            found[name] = replace(
                node,
                kind=node.kind or _kind(node),
                within=options.get("within"),
                need=need,
                path=path,
                options=options.get("options", {}),
            )
        return self.nested(found)

    def same_letters(self, edges: Mapping[str, Edge], given: Mapping[str, Any]) -> None:
        """Note the ends of edges that differ from the name of a node only in the case of letters."""
        seen = {name.lower(): name for name in given}
        for edge in edges.values():
            for option, end in (("from", edge.source), ("to", edge.target)):
                other = seen.setdefault(end.lower(), end)
                if other != end:
                    self.note("name_collides", _collision("nodes", end, other), (*edge.path, option))

    def agreeing(
        self, node: str, key: str, derived: tuple[str, ...], given: Mapping[str, Any]
    ) -> tuple[str, ...]:
        """Return the edges of a node, in the order in which the text lists them for the node if it does."""
        if key not in given:
            return derived
        listed = tuple(str(edge) for edge in given[key])
        if sorted(listed) != sorted(derived):
            message = (
                f"The edges of node “{node}” are not those of the list of edges: {key} ({', '.join(listed)}) "
                f"instead of ({', '.join(derived)})."
            )
            self.note("nodes_differ", message[:400], (*given["path"], key))
        return listed

    def needed(self, options: Mapping[str, Any], node: Node) -> int | tuple[str, ...] | None:
        """Return the activation of a complex gateway; None for its default, any one incoming edge."""
        need = options.get("need")
        if need is None:
            return None
        path = (*options["path"], "need")
        if node.kind != "complex":
            self.note("no_effect", "Only a complex gateway has “need”.", path)
        if isinstance(need, int):
            if not 1 <= need <= len(node.inward):
                count = len(node.inward)
                message = f"Node “{node.name}” needs {str(need)[:20]} of its {count} incoming edges."
                self.note("bad_need", message, path)
            return need
        named = tuple(str(edge) for edge in need)
        if not named or len(set(named)) < len(named) or not set(named) <= set(node.inward):
            message = f"“need” of node “{node.name}” must list different incoming edges of it."
            self.note("bad_need", message, path)
        return named

    def nested(self, nodes: dict[str, Node]) -> dict[str, Node]:
        """Check that each node is within a sub-process, and no sub-process within itself."""
        for node in nodes.values():
            outer, seen = node.within, {node.name}
            while outer is not None:
                path = (*node.path, "within")
                if outer not in nodes or nodes[outer].kind != "subprocess":
                    self.note("no_subprocess", f"“{outer[:40]}” is no sub-process of the graph.", path)
                    break
                if outer in seen:
                    self.note("cyclic_subprocess", f"Sub-process “{outer}” contains itself.", path)
                    break
                seen.add(outer)
                outer = nodes[outer].within
        return nodes

    def start(
        self, listed: list[Any] | None, nodes: Mapping[str, Node], edges: Mapping[str, Edge]
    ) -> tuple[str, ...]:
        """Return the first edges: those of the text, else all that leave a begin node."""
        begins = [node for node in nodes.values() if node.kind == "begin" and node.within is None]
        if listed is None:
            return tuple(edge for node in begins for edge in node.outward)
        leaving = {edge for node in begins for edge in node.outward}
        named = [str(edge) for edge in listed]
        for number, edge in enumerate(named):
            if edge not in edges:
                message = f"The start “{edge[:40]}” is no edge of the graph."
                self.note("unknown_edge", message, ("start", number))
            elif edge not in leaving:
                message = f"The start “{edge}” does not leave a node of type begin."
                self.note("bad_start", message, ("start", number))
            elif edge in named[:number]:
                self.note("name_collides", f"The start “{edge}” is there twice.", ("start", number))
        return tuple(named)


def _is(value: Any, type_: Any) -> bool:
    """Return whether a value has the type; a number is read as a name, too."""
    return isinstance(value, (str, int)) if type_ is str else isinstance(value, type_)


def _kind(node: Node) -> str:
    """Return the type of a node that the text does not name: forks and joins are parallel in the article."""
    if not node.inward:
        return "begin"
    if not node.outward:
        return "end"
    return "parallel" if len(node.inward) > 1 or len(node.outward) > 1 else "task"


def _collision(kind: str, name: str, other: str) -> str:
    if name == other:
        return f"There are two {kind} with the name “{name}”."
    return f"The {kind} “{other}” and “{name}” differ only in the case of letters."
