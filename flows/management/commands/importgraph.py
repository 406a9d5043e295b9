"""manage.py importgraph FILE --flow NAME: publishes a process that is written as a graph."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from flows.loading.graphs import Imported, prepare_graph, publish_graph
from flows.management.base import FlowCommand, get_flow
from flows.management.files import read_text


class Command(FlowCommand):
    help = "Checks a process that is written as a graph, and publishes it as a flow; all of it or nothing."
    records_actor = True

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="a .json or .yaml file, or a text with the lists R and N")
        parser.add_argument(
            "--flow", required=True, help="name of the flow, which is created if it is missing"
        )
        parser.add_argument("--dry-run", action="store_true", help="only check; nothing is changed")

    def run(self, **options: Any) -> None:
        path, name = options["file"], options["flow"]
        imported = prepare_graph(name, read_text(path), path.suffix[1:])
        facts = self._facts(name, imported)
        if not options["dry_run"]:
            publish_graph(name, imported, options["actor"], f"imported from {path.name}")
            facts["version"] = get_flow(name).version
        if options["json"]:
            self.write_json(facts | {"warnings": [asdict(each) for each in imported.warnings]})
            return
        for problem in imported.warnings:
            self.stdout.write(problem.sentence)
        done = f"is at version {facts['version']}" if "version" in facts else "can be published"
        counts = f"{facts['attributes']} attributes, {facts['triggers']} triggers"
        self.stdout.write(f"Flow {name} {done}: {facts['nodes']} nodes, {facts['edges']} edges; {counts}.")

    def _facts(self, name: str, imported: Imported) -> dict[str, Any]:
        definition = imported.compiled.definition
        return {
            "flow": name,
            "nodes": len(imported.graph.nodes),
            "edges": len(imported.graph.edges),
            "attributes": len(definition["attributes"]),
            "triggers": len(definition["triggers"]),
        }
