"""Checking a process that is written as a graph, and making a flow of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from flows import api
from flows.languages.graph import (
    BadGraph,
    Compiled,
    Edge,
    Graph,
    Problem,
    check,
    compile_graph,
    read,
    source_of,
)
from flows.languages.graph.problems import has_errors
from flows.loading.inference import types_by_use
from flows.types import Problem as Refused

_DECLARED = gettext_lazy("Attributes are declared in the list “attributes” of a file in JSON or YAML.")
_MOST = 50
_WORD = re.compile(r"'(?:[^']|'')*'|([^\W\d]\w*)")  # or a text


@dataclass(frozen=True)
class Declaring:
    """How a file declares attributes: a sentence, and a line with {} for the name of one and for its type.

    `names` are words of its conditions that are names, even if SQL reserves them. `others` are what names
    attributes besides conditions, as conditions, each with its owner.
    """

    text: object
    line: str
    names: frozenset[str] = frozenset()
    others: tuple[tuple[str, str], ...] = ()
    typed: str = ""

    def of(self, name: str, type_: str | None) -> str:
        """Return the line for an attribute; a text needs no type."""
        return self.typed.format(name, type_) if type_ not in (None, "text") else self.line.format(name)


_IN_GRAPHS = Declaring(_DECLARED, "{{name: {}}}", typed="{{name: {}, type: {}}}")


class Undeclared:
    """Collects the names in conditions that are no attributes."""

    def __init__(self, types: Mapping[str, str], declared: Declaring) -> None:
        self.owners: dict[str, str] = {}
        """Each name, with the owner of the first condition that names it."""
        self._types = types
        self._declared = declared
        self._uses: list[tuple[str, list[str]]] = []

    def check(self, owner: str, condition: str) -> tuple[bool, Refused | None]:
        """Return whether the condition has such names, or else why the kernel does not accept it."""
        names, problem = checked(self._types, condition, self._declared)
        self.owners |= {name: owner for name in names if name not in self.owners}
        self._uses.append((condition, names))
        return bool(names), problem

    def check_others(self) -> bool:
        """Return whether what names attributes besides conditions has such names."""
        found = [self.check(owner, condition)[0] for owner, condition in self._declared.others]
        return any(found)

    def types(self) -> dict[str, str]:
        """Return the types that these names have by their use, where one suits."""
        return types_by_use(self._types, self._uses)

    def fits(self, name: str, type_: str) -> bool:
        """Return whether a name could be of another type than that of its use."""
        tried = {**self._types, **self.types(), name: type_}
        uses = (condition for condition, names in self._uses if name in names)
        return all(api.conditions.check(tried, condition)[0] is None for condition in uses)

    def message(self) -> str:
        """Return the message for these names, with lines that declare them."""
        return undeclared(self.owners, self._declared, self.types())


@dataclass(frozen=True)
class Imported:
    """A graph and the flow that it becomes; `warnings` are problems that do not prevent it."""

    text: str
    format: str
    graph: Graph
    compiled: Compiled
    warnings: tuple[Problem, ...]

    @property
    def source(self) -> Mapping[str, Any]:
        """Return the source that is kept with the flow, so that pages can show the graph."""
        return source_of(self.graph, self.text, self.format or "terms", self.compiled)


def prepare_graph(flow: str, text: str, format_: str) -> Imported:
    """Read, check and compile a graph without changing anything. Raises BadGraph with all problems."""
    graph = read(text, format_, flow)
    found = check(graph)
    if has_errors(found):
        raise BadGraph(found)
    compiled = compile_graph(graph)
    problems = refusals(flow, graph, compiled)
    if problems:
        raise BadGraph(problems)
    return Imported(text, format_, graph, compiled, tuple(found))


def refusals(flow: str, graph: Graph, compiled: Compiled, declared: Declaring = _IN_GRAPHS) -> list[Problem]:
    """Return why the database would not accept the flow of a graph, with places of the graph.

    declared: where the file declares attributes, for conditions that name others.
    """
    refused = api.conditions.check_definition(flow, compiled.definition)
    problems = [
        _at_origin(graph, compiled, problem) for problem in refused if problem.path[:1] == ("attributes",)
    ]
    wrong = {
        str(compiled.definition["attributes"][each.path[1]].get("name"))
        for each in refused
        if each.path[:1] == ("attributes",) and len(each.path) > 1
    }
    problems += _conditions(graph, compiled, declared, wrong)
    return problems or [_at_origin(graph, compiled, problem) for problem in refused]


def mentions(condition: str, names: AbstractSet[str]) -> bool:
    """Return whether a condition in SQL has one of these names."""
    return any(found[1] and found[1].lower() in names for found in _WORD.finditer(condition))


def _conditions(
    graph: Graph, compiled: Compiled, declared: Declaring, wrong: AbstractSet[str]
) -> Iterator[Problem]:
    """Return the conditions of edges that the kernel does not accept, and names that are not declared.

    wrong: attributes that are not accepted, whose conditions are not looked at.
    """
    types = {
        str(attribute.get("name")): str(attribute.get("type", "text"))
        for attribute in compiled.definition["attributes"]
    }
    missing = Undeclared(types, declared)
    first = None
    edges = [each for each in graph.edges.values() if each.condition is not None]
    for edge in _not_accepted(types, edges):
        place = graph.places((*edge.path, "condition"))
        if mentions(edge.condition or "", wrong):
            continue
        owner = _("edge “%s”") % edge.name
        named, problem = missing.check(owner, edge.condition or "")
        first = first or (place if named else None)
        if problem is not None:
            yield Problem("bad_condition", refused_condition(owner, problem), *place)
    if missing.check_others():
        first = first or graph.places(())
    if first:
        yield Problem("unknown_names", missing.message(), *first)


def _not_accepted(types: Mapping[str, str], edges: Sequence[Edge]) -> Iterator[Edge]:
    accepted = api.conditions.accepted(types, [each.condition or "" for each in edges]) if edges else []
    return (edge for edge, known in zip(edges, accepted, strict=True) if not known)


def checked(
    types: Mapping[str, str], condition: str, declared: Declaring = _IN_GRAPHS
) -> tuple[list[str], Refused | None]:
    """Return the names in a condition that are no attributes, or else why the kernel does not accept it."""
    names: list[str] = []
    known = dict(types)
    written = declared.names - types.keys()
    for number in range(_MOST):
        problem = api.conditions.check(known, condition)[0]
        begin, word = _word(condition, problem, written)
        name = word.lower()
        unknown = problem is not None and problem.reason == "unknown_name"
        if not name or not (unknown or name in written):
            return names, None if names else problem
        if unknown and problem and problem.length == len(word) and name not in known:
            known[name] = "text"
        else:  # the kernel reserves the word, or reads only a part of it
            known[other := f"not_declared_{number}"] = "text"
            condition = condition[:begin] + other + condition[begin + len(word) :]
        names += [name] if name not in names else []
    return names, None


def _word(condition: str, problem: Refused | None, written: AbstractSet[str]) -> tuple[int, str]:
    """Return the word of a condition at which a problem is, with the characters before it; "" for none.

    Where it is at something else, the cause may be the first of the names that are `written`: CASE begins an
    expression.
    """
    found = _WORD.match(condition, problem.position - 1) if problem and problem.position else None
    at = found[1] if found else None  # a literal is matched, but has no word
    if problem and not (at and (problem.reason == "unknown_name" or at.lower() in written)):
        words = (each for each in _WORD.finditer(condition) if each[1] and each[1].lower() in written)
        found = next(words, found)
    return (found.start(1), found[1]) if found and found[1] else (0, "")


def undeclared(names: Mapping[str, str], declared: Declaring, types: Mapping[str, str]) -> str:
    """Return the message for names in conditions that are no attributes, with lines that declare them.

    `names` have the owners of the conditions that name them first, `types` are those by their use.
    """
    usable = [name for name in names if api.conditions.check({name: "text"}, f"{name} is null")[0] is None]
    facts = {
        "names": ", ".join(f'"{name}" ({owner})' for name, owner in names.items()),
        "declared": declared.text,
        "lines": " ".join(declared.of(name, types.get(name)) for name in usable),
        "others": ", ".join(f'"{name}"' for name in names if name not in usable),
    }
    found = [_("Conditions name attributes that are not declared: %(names)s. %(declared)s")]
    found += [_("Add: %(lines)s")] if usable else []
    if facts["others"]:
        found += [_("Conditions cannot use these names; choose others: %(others)s.")]
    return " ".join(found) % facts


def refused_condition(owner: str, problem: Refused) -> str:
    """Return why the kernel does not accept a condition."""
    facts = {"owner": owner, "position": problem.position, "problem": problem.message}
    message = _("The condition of %(owner)s is not accepted: %(problem)s") % facts
    if problem.position:
        template = _("The condition of %(owner)s is not accepted, at character %(position)s: %(problem)s")
        message = template % facts
    return message


def _at_origin(graph: Graph, compiled: Compiled, problem: Refused) -> Problem:
    """Return the problems that prevent publishing, each at the place of the graph that caused it."""
    return Problem("refused", problem.message, *graph.places(_origin(graph, compiled, problem.path)))


def _origin(graph: Graph, compiled: Compiled, path: tuple[Any, ...]) -> tuple[str | int, ...]:
    """Return the part of the graph that a part of the definition is made of."""
    if len(path) > 1 and isinstance(path[1], int):
        if path[0] == "triggers" and (node := compiled.triggers[path[1]]) is not None:
            return graph.nodes[node].path
        if path[0] == "attributes" and path[1] < len(graph.attributes):
            return path
        if path[0] == "attributes" and (edge := compiled.attributes[path[1]]) is not None:
            return graph.edges[edge].path
    return ()
