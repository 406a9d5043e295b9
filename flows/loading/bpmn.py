"""Publishing a process that is written in BPMN."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from flows import api
from flows.languages.bpmn import BadBpmn, BpmnProblem, CompiledProcess, compile_process, located, read
from flows.languages.bpmn.writing import write
from flows.languages.graph import read as read_graph
from flows.loading.graphs import refusals
from flows.models import Flow
from flows.types import PublishReport


@dataclass(frozen=True)
class ImportedProcess:
    """A file and the flow that its process becomes; `warnings` are problems that do not prevent it."""

    text: str
    made: CompiledProcess
    warnings: tuple[BpmnProblem, ...]

    @property
    def source(self) -> Mapping[str, Any]:
        """Return what is kept with the flow, so that pages can show the diagram."""
        facts = {"process": self.made.process.id, **self.made.source_map}
        return {"language": "bpmn", "format": "xml", "text": self.text, "map": facts}


def prepare_bpmn(flow: str, content: bytes, process: str = "") -> ImportedProcess:
    """Read, check and compile a process without changing anything. Raises BadBpmn with all problems."""
    found, warnings = read(content, process)
    made = compile_process(found)
    problems = refusals(flow, made.graph, made.compiled)
    if problems:
        raise BadBpmn(located(found, made.graph, problems))
    return ImportedProcess(content.decode("utf-8-sig"), made, (*warnings, *made.warnings))


def publish_bpmn(flow: str, imported: ImportedProcess, actor: str, reason: str = "") -> PublishReport:
    """Publish the flow of a process and keep the file with it; create the flow if it is missing.

    Raises WedError; then nothing is changed.
    """
    with transaction.atomic():
        if not Flow.objects.filter(name=flow).exists():
            api.create_flow(flow)
        report = api.publish(flow, imported.made.compiled.definition, actor=actor, reason=reason)
        api.keep_source(flow, imported.source)
    return report


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
