"""manage.py flow import pdl FILE...: publishes a workflow that is written in PDL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from flows.languages.pdl import LARGEST, BadPdl, PdlProblem, Text, check_size
from flows.loading.pdl import ImportedWorkflow, prepare_pdl
from flows.management.files import read_bytes
from flows.management.imports import ImportCommand


class Command(ImportCommand):
    help = "Checks a workflow that is written in PDL, and publishes it as a flow; all of it or nothing."
    needs_flow = False

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "files",
            type=Path,
            nargs="+",
            metavar="file",
            help="texts with a workflow, models of tasks and applications, in any order",
        )
        parser.add_argument(
            "--workflow", default="", metavar="ID", help="the workflow, where the files have several"
        )
        parser.add_argument(
            "--strict", action="store_true", help="reject spellings that the printed grammar does not have"
        )
        super().arguments(parser)

    def read(self, options: dict[str, Any]) -> tuple[ImportedWorkflow, dict[str, int]]:
        texts = _texts(options["files"])
        made = prepare_pdl(options["flow"], texts, options["workflow"], strict=options["strict"])
        workflow = made.made.workflow
        return made, {"activities": len(workflow.activities), "data": len(workflow.data)}

    def title(self, options: dict[str, Any]) -> str:
        return ", ".join(path.name for path in options["files"])


def _texts(paths: list[Path]) -> list[Text]:
    """Return the texts of files, which have names in problems where they are several."""
    contents = [read_bytes(path, LARGEST) for path in paths]
    check_size(sum(map(len, contents)))
    found = []
    for path, content in zip(paths, contents, strict=True):
        name = path.name if len(paths) > 1 else ""
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            message = f"It is not text in UTF-8 (byte {error.start})."
            raise BadPdl([PdlProblem("syntax", message, file=name)]) from error
        found.append(Text(text.replace("\r\n", "\n").replace("\r", "\n"), name))
    return found
