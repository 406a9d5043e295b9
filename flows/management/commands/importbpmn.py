"""manage.py flow import bpmn FILE --flow NAME: publishes a process in BPMN 2.0, or checks all of a file."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from flows.languages.bpmn.xml import LARGEST
from flows.loading.bpmn import ImportedProcess, prepare_bpmn
from flows.loading.bpmn_files import CheckedProcess, check_processes
from flows.management.base import Rejected, Usage
from flows.management.files import read_bytes
from flows.management.imports import ImportCommand


class Command(ImportCommand):
    needs_flow = False
    without_flow = "without it, --dry-run checks all processes of the file"
    help = "Checks a process that is written in BPMN 2.0, and publishes it as a flow; all of it or nothing."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="a file as bpmn.io and Camunda write it (XML)")
        parser.add_argument(
            "--process",
            default="",
            metavar="NAME",
            help="the process, where the file has several: its id, its name, or the name of its pool",
        )
        parser.add_argument(
            "--declare",
            action="store_true",
            help="make attributes of names that the file uses and does not declare, with types by their use",
        )
        super().arguments(parser)

    def run(self, **options: Any) -> None:
        if options["flow"]:
            super().run(**options)
        elif options["dry_run"] and not options["process"]:
            self.check_all(options)
        else:
            raise Usage(
                "Name the flow with --flow; only --dry-run checks all processes of a file without it."
            )

    def check_all(self, options: dict[str, Any]) -> None:
        """Check every process of the file; raise Rejected unless all are accepted."""
        content = read_bytes(options["file"], LARGEST)
        found = [*check_processes(content, declare=options["declare"])]
        if options["json"]:
            self.write_json({"processes": [_facts(each) for each in found]})
        for each in () if options["json"] else found:
            self.stdout.write(f"{_title(each)}: {'accepted' if each.accepted else 'not accepted'}")
            for problem in each.problems:
                self.stdout.write(f"  {problem.sentence}")
        refused = [_title(each) for each in found if not each.accepted]
        if refused:
            raise Rejected(f"Not accepted: {', '.join(refused)}.")

    def prepared(self, path: Path, options: dict[str, Any]) -> tuple[ImportedProcess, dict[str, int]]:
        content = read_bytes(path, LARGEST)
        made = prepare_bpmn(options["flow"], content, options["process"], declare=options["declare"])
        process = made.made.process
        parts = {"elements": process.elements, "flows": process.flows}
        # What is added to a drawing has a slash in its id, which no id of XML has.
        return made, {what: sum("/" not in id_ for id_ in found) for what, found in parts.items()}


def _title(checked: CheckedProcess) -> str:
    return checked.process.name or checked.process.pool or checked.process.id


def _facts(checked: CheckedProcess) -> dict[str, Any]:
    """Return a process as JSON has it."""
    problems = [
        {"severity": each.severity, "kind": each.code, "element": each.element, "line": each.line,
         "text": each.message}
        for each in checked.problems
    ]  # fmt: skip
    return asdict(checked.process) | {"accepted": checked.accepted, "problems": problems}
