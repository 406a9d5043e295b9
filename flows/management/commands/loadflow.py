"""manage.py loadflow FILE: defines a flow from SQL in the paper's form, or from JSON or YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from flows.definition import Definition
from flows.definition.files import FORMATS, NotReadable
from flows.errors import WedError
from flows.loading import LoadError, load_definition, load_sql
from flows.management.base import FlowCommand, Usage, get_flow


class Command(FlowCommand):
    help = "Defines a flow from a file of SQL statements, JSON or YAML; all of it or nothing."
    records_actor = True

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="a .sql, .json or .yaml file")
        parser.add_argument("--flow", help="name of the flow (default: the name of the file)")

    def run(self, **options: Any) -> None:
        path: Path = options["file"]
        text = _read(path)
        if path.suffix[1:] in FORMATS:
            definition = _parsed(path, text)
            name = options["flow"] or str(definition.get("flow") or path.stem)
            load_definition(name, definition, options["actor"], f"loaded from {path.name}")
        else:
            name = options["flow"] or path.stem
            load_sql(name, text, options["actor"])
        self._report(name, as_json=options["json"])

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


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise Usage(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise Usage(f"{path} is not text in UTF-8 (byte {error.start}).") from error


def _parsed(path: Path, text: str) -> Definition:
    try:
        return FORMATS[path.suffix[1:]].parse(text)
    except NotReadable as error:
        raise LoadError(WedError(f"{path.name} is {error}."), error.line) from error
