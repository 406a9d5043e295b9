"""Checking texts in PDL, making a flow of a workflow, and writing a flow as PDL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from flows import api
from flows.languages.graph import Compiled
from flows.languages.pdl import (
    BadPdl,
    CompiledWorkflow,
    PdlProblem,
    Text,
    check,
    compile_workflow,
    read,
    write,
)
from flows.languages.pdl.compiler import chosen
from flows.languages.pdl.model import Library, Place, Workflow
from flows.languages.pdl.names import slug
from flows.models import Flow
from flows.types import Problem as Refused


@dataclass(frozen=True)
class ImportedWorkflow:
    """Texts and the flow that their workflow becomes; `warnings` are problems that do not prevent it."""

    text: str
    made: CompiledWorkflow
    warnings: tuple[PdlProblem, ...]

    @property
    def compiled(self) -> Compiled:
        """Return the flow that the workflow becomes."""
        return self.made.compiled

    @property
    def flow(self) -> str:
        """Return the name of a flow that is made of the id of the workflow."""
        return slug(self.made.workflow.id)

    @property
    def source(self) -> Mapping[str, Any]:
        """Return the source that is kept with the flow, so that it can be written as PDL again."""
        return {"language": "pdl", "format": "pdl", "text": self.text, "map": self.made.facts}


@dataclass(frozen=True)
class Examined:
    """What texts say without a look at the database; `workflow` is None where none can be chosen."""

    problems: tuple[PdlProblem, ...]
    library: Library
    workflow: Workflow | None


def examine(texts: Sequence[Text], workflow: str = "") -> Examined:
    """Return all problems of texts, and the workflow as far as it can be read.

    workflow: its id, where there are several.
    """
    try:
        library, found = _read(texts, strict=False)
    except BadPdl as error:
        library = error.library or Library()
        return Examined(error.problems, library, _chosen(library, workflow))
    found = [*found, *check(library)]
    if not _prevents(found):
        try:
            compile_workflow(library, workflow)
        except BadPdl as error:
            found += error.problems
    return Examined((*found,), library, _chosen(library, workflow))


def _chosen(library: Library, id_: str) -> Workflow | None:
    try:
        return chosen(library, id_)
    except BadPdl:
        return None


def _prevents(problems: Sequence[PdlProblem]) -> bool:
    return any(problem.severity == "error" for problem in problems)


def prepare_pdl(
    flow: str, texts: Sequence[Text], workflow: str = "", *, strict: bool = False
) -> ImportedWorkflow:
    """Read, check and compile texts without changing anything. Raises BadPdl with all problems.

    flow: its name; empty for the name that the id of the workflow gives.
    """
    library, warnings = _read(texts, strict)
    found = [*warnings, *check(library)]
    if _prevents(found):
        raise BadPdl(found)
    made = compile_workflow(library, workflow)
    name = flow or slug(made.workflow.id)
    refused = [*_refused(made, api.conditions.check_definition(name, made.compiled.definition))]
    if refused:
        raise BadPdl([*found, *refused])
    text = "\n".join(each.text.rstrip("\n") + "\n" for each in texts)
    return ImportedWorkflow(text, made, (*found, *_missing_flows(name, made)))


def _read(texts: Sequence[Text], strict: bool) -> tuple[Library, list[PdlProblem]]:
    """Return the definitions of texts; other problems are found even if the syntax is wrong."""
    try:
        return read(texts, strict=strict)
    except BadPdl as error:
        more = check(error.library) if error.library is not None else []
        found = [*error.problems, *(each for each in more if each.severity == "error")]
        raise BadPdl(found, error.library) from error


def _refused(made: CompiledWorkflow, problems: Sequence[Refused]) -> Iterator[PdlProblem]:
    """Return why the database would not accept the flow, at the parts that it is made of."""
    places: dict[str, Place] = {each.id: each.place for each in made.workflow.data}
    places |= {each.id: each.place for each in made.workflow.activities}
    parts = {"attributes": made.compiled.attributes, "triggers": made.compiled.triggers}
    for each in problems:
        found = parts.get(str(each.path[0]) if each.path else "", ())
        number = each.path[1] if len(each.path) > 1 else None
        id_ = found[number] if isinstance(number, int) and number < len(found) else None
        id_ = id_ or made.workflow.id
        place = places.get(id_, made.workflow.place)
        yield PdlProblem("refused", each.message, place.line, place.column, "error", id_, place.file)


def _missing_flows(flow: str, made: CompiledWorkflow) -> Iterator[PdlProblem]:
    """Warn of the flows of sub-workflows that do not exist yet."""
    for each in made.workflow.activities:
        called = slug(each.model.id)
        if each.is_workflow and called != flow and not Flow.objects.filter(name=called).exists():
            message = _("There is no flow “%s” yet; without it, an instance here is an exception.") % called
            place = each.model.place
            yield PdlProblem("no_flow", message, place.line, place.column, "warning", each.id, place.file)


def export_pdl(flow: str, version: int) -> str:
    """Return a version of a flow as PDL. Raises BadPdl where it was not imported from PDL."""
    source = api.flows.read_source(flow, version)
    if source is None or source["language"] != "pdl":
        message = (
            f"Version {version} of flow {flow} was not imported from PDL, which has no words for its rules."
        )
        raise BadPdl([PdlProblem("no_workflow", message)])
    return write(read(str(source["text"]))[0])
