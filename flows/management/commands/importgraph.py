"""manage.py flow import graph FILE --flow NAME: publishes a process that is written as a graph."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from flows.loading.graphs import Imported, prepare_graph
from flows.management.files import read_text
from flows.management.imports import ImportCommand


class Command(ImportCommand):
    help = "Checks a process that is written as a graph, and publishes it as a flow; all of it or nothing."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="a .json or .yaml file, or a text with the lists R and N")
        super().arguments(parser)

    def prepared(self, path: Path, options: dict[str, Any]) -> tuple[Imported, dict[str, int]]:
        made = prepare_graph(options["flow"], read_text(path), path.suffix[1:])
        return made, {"nodes": len(made.graph.nodes), "edges": len(made.graph.edges)}
