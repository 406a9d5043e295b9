"""Checking a process that is written in BPMN, making a flow of it, and writing a flow as BPMN."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _
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
from flows.languages.bpmn.encodings import decoded
from flows.languages.bpmn.writing import write
from flows.languages.graph import Compiled
from flows.languages.graph import read as read_graph
from flows.loading.declarations import Declared, declared
from flows.loading.graphs import Declaring, Undeclared, refusals, refused_condition
from flows.models import Flow

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
        """Return what is kept with the flow, so that pages can show the diagram."""
        made = self.made
        facts = {"process": made.process.id, **made.source_map, "internal": made.internal}
        facts["choosing"] = made.choosing
        return {"language": "bpmn", "format": "xml", "text": self.text, "map": facts}


def prepare_bpmn(
    flow: str, content: bytes, process: str = "", *, declare: bool = False
) -> ImportedProcess:  # fmt: skip
    """Read, check and compile a process without changing anything. Raises BadBpmn with all problems.

    Its conditions are checked also where its structure is wrong. Names that a file without declarations uses
    become attributes; with `declare` also those of other files.
    """
    try:
        found, warnings = read(content, process)
        added = _declared(found, declare=declare)
        made = compile_process(added.process, flow)
    except BadBpmn as error:
        more = _of_data(flow, error, declare=declare)
        listed = any(each.code == "unknown_names" for each in more)
        kept = [each for each in error.problems if not (listed and each.code == "unknown_name")]
        raise BadBpmn([*kept, *more]) from error
    problems = refusals(flow, made.graph, made.compiled, _declaring(made.process))
    if problems:
        raise BadBpmn(located(made.process, made.graph, problems))
    found_warnings = (*added.warnings, *warnings, *made.warnings, *_missing_flows(flow, found))
    return ImportedProcess(decoded(content), made, found_warnings)


def _declared(process: Process, *, declare: bool) -> Declared:
    """Return a process with the names that it does not declare, unless it declares others."""
    if declare or not process.declares:
        return declared(process, replace(_IN_BPMN, names=names(process)))
    return Declared(process)


def _declaring(process: Process) -> Declaring:
    """Return how a process declares attributes, with the names in its conditions, timers and collections."""
    others = tuple((f"“{each.owner.id}”", each.sql) for each in uses(process))
    return replace(_IN_BPMN, names=names(process), others=others)


def _of_data(flow: str, error: BadBpmn, *, declare: bool) -> list[BpmnProblem]:
    """Return what is wrong with the data of a process with other problems, as far as it was read.

    Conditions are checked where the attributes are right.
    """
    if error.process is None:
        return []
    process = _declared(error.process, declare=declare).process
    definition = {"attributes": [dict(each.options) for each in process.data], "triggers": []}
    refused = [each for each in api.check_definition(flow, definition) if each.path[:1] == ("attributes",)]
    places = [process.data[int(each.path[1])] if len(each.path) > 1 else process for each in refused]
    found = [
        BpmnProblem("refused", problem.message, place.line, place.column, "error", place.id)
        for problem, place in zip(refused, places, strict=True)
    ]
    return [each for each in found or _of_conditions(process) if each not in error.problems]


def _of_conditions(process: Process) -> list[BpmnProblem]:
    found: list[BpmnProblem] = []
    missing = Undeclared(types(process), _declaring(process))
    first: Any = None
    for condition in conditions(process, found):
        owner = condition.owner
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


def _missing_flows(flow: str, process: Process) -> Iterator[BpmnProblem]:
    """Warn of the flows that are called and do not exist yet."""
    for element in process.elements.values():
        called = element.calls
        if called and called != flow and not Flow.objects.filter(name=called).exists():
            message = _("There is no flow “%s” yet; without it, an instance here is an exception.")
            yield BpmnProblem(
                "no_flow", message % called, element.line, element.column, "warning", element.id
            )


def export_bpmn(flow: str, version: int) -> str:
    """Return a version of a flow as BPMN. Raises BadBpmn where it cannot be written as that."""
    source = api.read_source(flow, version)
    if source is None or source["language"] not in ("bpmn", "graph"):
        message = (
            f"Version {version} of flow {flow} was not imported from BPMN or a graph: its rules fire "
            "by data, in no order that a diagram could show."
        )
        raise BadBpmn([BpmnProblem("no_diagram", message)])
    if source["language"] == "bpmn":
        return str(source["text"])
    return write(read_graph(source["text"], source["format"], flow), flow)
