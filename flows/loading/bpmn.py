"""Checking a process that is written in BPMN, making a flow of it, and writing a flow as BPMN."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext_lazy

from flows import api
from flows.languages.bpmn import (
    BadBpmn,
    BpmnProblem,
    CompiledProcess,
    Process,
    compile_process,
    located,
    read,
)
from flows.languages.bpmn.conditions import conditions, names, types, uses
from flows.languages.bpmn.document.encodings import decoded
from flows.languages.bpmn.document.processes import processes
from flows.languages.bpmn.document.xml import marked
from flows.languages.bpmn.model import Datum
from flows.languages.bpmn.problems import with_names
from flows.languages.bpmn.writer.document import write
from flows.languages.graph import Compiled
from flows.languages.graph import read as read_graph
from flows.languages.graph.problems import has_errors
from flows.loading.calls import Callees
from flows.loading.declarations import Declared, declared
from flows.loading.graphs import Declaring, Undeclared, mentions, refusals, refused_condition

_DECLARED = gettext_lazy(
    'Attributes are declared in the extension elements of the process, as <wedsql:attribute name="..." />, '
    "or as data objects."
)
_IN_BPMN = Declaring(
    _DECLARED, '<wedsql:attribute name="{}" />', typed='<wedsql:attribute name="{}" type="{}" />'
)


@dataclass(frozen=True)
class ImportedProcess:
    """A file and the flow that its process becomes; `warnings` are problems that do not prevent it."""

    text: str
    made: CompiledProcess
    warnings: tuple[BpmnProblem, ...]

    @property
    def compiled(self) -> Compiled:
        """Return the flow that the process becomes."""
        return self.made.compiled

    @property
    def source(self) -> Mapping[str, Any]:
        """Return the source that is kept with the flow, so that pages can show the diagram."""
        made = self.made
        facts = {"process": made.process.id, **made.source_map, "internal": made.internal}
        facts |= {"choosing": made.choosing, "positions": made.positions}
        return {"language": "bpmn", "format": "xml", "text": self.text, "map": facts}


def prepare_bpmn(
    flow: str, content: bytes, process: str = "", *, declare: bool = False, callees: Callees | None = None
) -> ImportedProcess:
    """Read, check and compile a process without changing anything. Raises BadBpmn with all problems.

    Each part is checked also where others are wrong. Names that a file without declarations uses become
    attributes; with `declare` also those of other files. callees: the flows that it may call.
    """
    found, problems = _read(content, process)
    added = _declared(found, declare=declare)
    callees = callees or Callees()
    checked, calls = callees.checked(flow, callees.bound(added.process))
    problems += [*added.warnings, *calls]
    made = None
    try:
        made = compile_process(checked, flow)
        problems += made.warnings
    except BadBpmn as error:
        problems += _further(error.problems, problems)
    if made is not None and not has_errors(problems):
        refused = refusals(flow, made.graph, made.compiled, _declaring(made.process))
        problems += located(made.process, made.graph, refused)
    else:
        problems += _of_data(flow, checked, problems)
    problems = [*dict.fromkeys(with_names(_listed(problems), found))]  # each once, now that all have names
    if made is None or has_errors(problems):
        raise BadBpmn(problems, found)
    return ImportedProcess(decoded(content), made, tuple(problems))


def attributes_of(content: bytes, process: str, *, declare: bool = False) -> frozenset[str] | None:
    """Return the attributes that a process declares or uses; None if it cannot be read."""
    try:
        found, _problems = _read(content, process)
    except BadBpmn:
        return None
    return frozenset(str(each.options["name"]) for each in _declared(found, declare=declare).process.data)


def _read(content: bytes, process: str) -> tuple[Process, list[BpmnProblem]]:
    """Return a process as far as it can be read, and what is wrong. Raises BadBpmn if nothing can be."""
    try:
        return read(content, process)
    except BadBpmn as error:
        if error.process is None:
            raise
        return error.process, [*error.problems]


def _further(found: Iterable[BpmnProblem], known: Sequence[BpmnProblem]) -> list[BpmnProblem]:
    """Return problems without those that may follow from what is wrong with the same element."""
    wrong = {each.element for each in known if each.severity == "error"}
    return [each for each in found if each.element not in wrong or each.severity != "error"]


def _listed(problems: Sequence[BpmnProblem]) -> list[BpmnProblem]:
    """Return problems without names that a list of names has, too."""
    listed = any(each.code == "unknown_names" for each in problems)
    return [each for each in problems if not (listed and each.code == "unknown_name")]


def _declared(process: Process, *, declare: bool) -> Declared:
    """Return a process with the names that it does not declare, unless it declares others."""
    if declare or not process.declares:
        return declared(process, replace(_IN_BPMN, names=names(process)))
    return Declared(process)


def _declaring(process: Process) -> Declaring:
    """Return how a process declares attributes, with the names in its conditions, timers and collections."""
    others = tuple((f"“{each.owner.id}”", each.sql) for each in uses(process))
    return replace(_IN_BPMN, names=names(process), others=others)


def _of_data(flow: str, process: Process, known: Sequence[BpmnProblem]) -> list[BpmnProblem]:
    """Return the problems of the data of a process with other problems, as far as it was read.

    Conditions are checked where their attributes are right.
    """
    definition = {"attributes": [dict(each.options) for each in process.data], "triggers": []}
    refused = [
        each for each in api.conditions.check_definition(flow, definition) if each.path[:1] == ("attributes",)
    ]
    places = [process.data[int(each.path[1])] if len(each.path) > 1 else process for each in refused]
    found = [
        BpmnProblem("refused", problem.message, place.line, place.column, "error", place.id)
        for problem, place in zip(refused, places, strict=True)
    ]
    wrong = {str(place.options["name"]) for place in places if isinstance(place, Datum)}
    return [each for each in (*found, *_of_conditions(process, wrong)) if each not in known]


def _of_conditions(process: Process, wrong: AbstractSet[str]) -> list[BpmnProblem]:
    found: list[BpmnProblem] = []
    missing = Undeclared(types(process), _declaring(process))
    first: Any = None
    for condition in conditions(process, found):
        owner = condition.owner
        if mentions(condition.sql, wrong):
            continue
        unknown, problem = missing.check(f"“{owner.id}”", condition.sql)
        first = first or (owner if unknown else None)
        if problem is not None:
            message = refused_condition(f"“{owner.id}”", problem)
            found.append(BpmnProblem("bad_condition", message, owner.line, owner.column, "error", owner.id))
    if missing.check_others():
        first = first or process
    if first:
        place = (first.line, first.column, "error", first.id)
        found.append(BpmnProblem("unknown_names", missing.message(), *place))
    return found


def export_bpmn(flow: str, version: int) -> str:
    """Return a version of a flow as BPMN. Raises BadBpmn where it cannot be written as that."""
    source = api.flows.read_source(flow, version)
    if source is None or source["language"] not in ("bpmn", "graph"):
        message = (
            f"Version {version} of flow {flow} was not imported from BPMN or a graph: its rules fire "
            "by data, in no order that a diagram could show."
        )
        raise BadBpmn([BpmnProblem("no_diagram", message)])
    if source["language"] == "bpmn":
        return bpmn_of(str(source["text"]), str(source["map"]["process"]))
    return write(read_graph(source["text"], source["format"], flow), flow)


def bpmn_of(text: str, process: str) -> str:
    """Return a file that was imported; one of several processes says which of them became the flow."""
    meant = [each.id for each in processes(text.encode()) if each.meant]
    return text if meant == [process] else marked(text, process)
