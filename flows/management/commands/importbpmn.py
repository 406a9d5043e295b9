"""manage.py importbpmn FILE --flow NAME: publishes a process that is written in BPMN 2.0."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from flows.languages.bpmn.xml import LARGEST
from flows.loading.bpmn import ImportedProcess, prepare_bpmn, publish_bpmn
from flows.management.base import FlowCommand, get_flow
from flows.management.files import read_bytes


class Command(FlowCommand):
    help = "Checks a process that is written in BPMN 2.0, and publishes it as a flow; all of it or nothing."
    records_actor = True

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="a file as bpmn.io and Camunda write it (XML)")
        parser.add_argument(
            "--flow", required=True, help="name of the flow, which is created if it is missing"
        )
        parser.add_argument(
            "--process", default="", metavar="ID", help="the process, where the file has several"
        )
        parser.add_argument("--dry-run", action="store_true", help="only check; nothing is changed")

    def run(self, **options: Any) -> None:
        path, name = options["file"], options["flow"]
        imported = prepare_bpmn(name, read_bytes(path, LARGEST), options["process"])
        facts = _facts(name, imported)
        if not options["dry_run"]:
            publish_bpmn(name, imported, options["actor"], f"imported from {path.name}")
            facts["version"] = get_flow(name).version
        if options["json"]:
            self.write_json(facts | {"warnings": [asdict(each) for each in imported.warnings]})
            return
        for problem in imported.warnings:
            self.stdout.write(problem.sentence)
        done = f"is at version {facts['version']}" if "version" in facts else "can be published"
        counts = f"{facts['attributes']} attributes, {facts['triggers']} triggers"
        self.stdout.write(
            f"Flow {name} {done}: {facts['elements']} elements, {facts['flows']} flows; {counts}."
        )


def _facts(name: str, imported: ImportedProcess) -> dict[str, Any]:
    definition = imported.made.compiled.definition
    return {
        "flow": name,
        "process": imported.made.process.id,
        "elements": len(imported.made.process.elements),
        "flows": len(imported.made.process.flows),
        "attributes": len(definition["attributes"]),
        "triggers": len(definition["triggers"]),
    }
