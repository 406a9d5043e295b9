"""manage.py importbpmn FILE --flow NAME: publishes a process that is written in BPMN 2.0."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from flows.languages.bpmn.xml import LARGEST
from flows.loading.bpmn import ImportedProcess, prepare_bpmn
from flows.management.files import read_bytes
from flows.management.imports import ImportCommand


class Command(ImportCommand):
    help = "Checks a process that is written in BPMN 2.0, and publishes it as a flow; all of it or nothing."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="a file as bpmn.io and Camunda write it (XML)")
        parser.add_argument(
            "--process",
            default="",
            metavar="NAME",
            help="the process, where the file has several: its id, its name, or the name of its pool",
        )
        super().arguments(parser)

    def prepared(self, path: Path, options: dict[str, Any]) -> tuple[ImportedProcess, dict[str, int]]:
        made = prepare_bpmn(options["flow"], read_bytes(path, LARGEST), options["process"])
        process = made.made.process
        return made, {"elements": len(process.elements), "flows": len(process.flows)}
