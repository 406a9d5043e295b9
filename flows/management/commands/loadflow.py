"""manage.py flow load FILE: defines a flow from SQL in the paper's form, or from JSON or YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from flows.loading import load_definition, load_sql
from flows.management.base import FlowCommand, get_flow
from flows.management.files import is_definition, read_definition, read_text
from flows.management.imports import became, facts_of
from flows.types import Publication


class Command(FlowCommand):
    help = "Defines a flow from a file of SQL statements, JSON or YAML; all of it or nothing."
    records_actor = True
    any_flow = True
    takes_tasks = True

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="a .sql, .json or .yaml file")
        parser.add_argument("--flow", help="name of the flow (default: the name of the file)")

    def run(self, **options: Any) -> None:
        path: Path = options["file"]
        done: Publication | None
        reason = f"loaded from {path.name}"
        if is_definition(path):
            definition = read_definition(path)
            name = options["flow"] or str(definition.get("flow") or path.stem)
            done = load_definition(name, definition, options["actor"], reason)
        else:
            name = options["flow"] or path.stem
            done = load_sql(name, read_text(path), options["actor"], reason)
        if done and done.version is None:
            return self._waits(name, done, as_json=options["json"])
        self._report(name, as_json=options["json"])

    def _waits(self, name: str, done: Publication, as_json: bool) -> None:
        if as_json:
            return self.write_json({"flow": name} | facts_of(done))
        self.stdout.write(f"Flow {name} {became(done)}.")

    def _report(self, name: str, as_json: bool) -> None:
        flow = get_flow(name)
        attributes, triggers = flow.attributes.count(), flow.triggers.count()
        if as_json:
            counts = {"attributes": attributes, "triggers": triggers}
            self.write_json({"flow": name, "version": flow.version, **counts})
        else:
            self.stdout.write(
                f"Flow {name} is at version {flow.version}: {attributes} attributes, {triggers} triggers."
            )
