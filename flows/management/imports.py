"""What the commands that import a process have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import CommandParser

from flows.languages.graph import BadGraph
from flows.languages.graph.problems import sentences
from flows.loading.bpmn import ImportedProcess
from flows.loading.graphs import Imported
from flows.loading.pdl import ImportedWorkflow
from flows.loading.processes import consequences, publish_file, report_of, try_file
from flows.management.base import FlowCommand
from flows.types import Publication, PublishReport

Made = ImportedProcess | Imported | ImportedWorkflow


class ImportCommand(FlowCommand):
    """A command that checks a file, and publishes what it becomes or says what that would do."""

    records_actor = True
    any_flow = True
    takes_tasks = True
    needs_flow = True
    without_flow = "default: that of what is imported"
    tries: ClassVar[Mapping[str, str]] = {"dry_run": "flow process workflow strict declare"}

    def arguments(self, parser: CommandParser) -> None:
        described = "name of the flow, which is created if it is missing"
        described += "" if self.needs_flow else f" ({self.without_flow})"
        parser.add_argument("--flow", required=self.needs_flow, default="", help=described)
        parser.add_argument(
            "--dry-run", action="store_true", help="only check, and say what publishing would do"
        )

    def prepared(self, path: Path, options: dict[str, Any]) -> tuple[Made, dict[str, int]]:
        """Return the definition of the file, and the number of its parts by kind. Raises BadGraph, Usage."""
        raise NotImplementedError

    def read(self, options: dict[str, Any]) -> tuple[Made, dict[str, int]]:
        """Return the definitions of all given files, as `prepared`."""
        return self.prepared(options["file"], options)

    def title(self, options: dict[str, Any]) -> str:
        """Return the title of the import, for the reason that the publication has."""
        return str(options["file"].name)

    def run(self, **options: Any) -> None:
        made, parts = self.read(options)
        name = options["flow"] or (made.flow if isinstance(made, ImportedWorkflow) else "")
        definition = made.compiled.definition
        counts = {part: len(definition[part]) for part in ("attributes", "triggers")}
        report: PublishReport | None
        if options["dry_run"]:
            report, done, facts = try_file(name, made), "can be published", {}
        else:
            request = publish_file(name, made, options["actor"], f"imported from {self.title(options)}")
            report, done, facts = report_of(request), became(request), facts_of(request)
        if options["json"]:
            found = {
                "warnings": [asdict(each) for each in made.warnings],
                "report": asdict(report) if report else None,
            }
            self.write_json({"flow": name} | self.named(made) | parts | counts | facts | found)
            return
        for line in sentences(made.warnings, BadGraph.most):
            self.stdout.write(line)
        self.stdout.write(f"Flow {name} {done}: {_listed(parts)}; {_listed(counts)}.")
        for line in consequences(report) if report else ():
            self.stdout.write(line)

    def named(self, made: Made) -> dict[str, str]:
        """Return how the file calls what became the flow."""
        if isinstance(made, ImportedWorkflow):
            return {"workflow": made.made.workflow.id}
        return {"process": made.made.process.id} if isinstance(made, ImportedProcess) else {}


def became(done: Publication) -> str:
    """Return the outcome of submitting a definition, to follow the name of the flow."""
    if done.version is None:
        return f"is not changed yet: publication {done.id} waits for approval"
    return f"is at version {done.version}"


def facts_of(done: Publication) -> dict[str, Any]:
    """Return the facts for programs about a definition that was submitted."""
    waits = {} if done.version is not None else {"publication": done.id, "status": done.status}
    return {"version": done.version} | waits


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {part}" for part, count in counts.items())
