"""manage.py flow import bpmn FILE --flow NAME: publishes a process in BPMN 2.0, or all of a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import CommandParser

from flows.languages.bpmn import BadBpmn
from flows.languages.bpmn.document.xml import LARGEST
from flows.languages.graph.problems import sentences
from flows.loading.bpmn import ImportedProcess, prepare_bpmn
from flows.loading.bpmn_files import CheckedProcess, check_processes, publish_processes
from flows.management.base import Rejected, Usage
from flows.management.files import read_bytes
from flows.management.imports import ImportCommand, became


class Command(ImportCommand):
    needs_flow = False
    without_flow = "without it, --all imports, and --dry-run checks, all processes of the file"
    tries: ClassVar[Mapping[str, str]] = {"dry_run": "flow process declare all"}
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
        parser.add_argument(
            "--all",
            action="store_true",
            help="import all processes, each as a flow with its name; calls between them are of these flows",
        )
        super().arguments(parser)

    def run(self, **options: Any) -> None:
        given = options["flow"] or options["process"]
        if options["all"] and given:
            raise Usage("--all imports all processes: leave out --flow and --process.")
        if options["flow"]:
            super().run(**options)
        elif (options["dry_run"] or options["all"]) and not given:
            self.run_all(options)
        else:
            raise Usage("Name the flow with --flow; only --dry-run and --all take all processes of a file.")

    def run_all(self, options: dict[str, Any]) -> None:
        """Check every process of the file, and publish them; raise Rejected unless all are accepted."""
        content = read_bytes(options["file"], LARGEST)
        found = [*check_processes(content, declare=options["declare"])]
        refused = [each.process.title for each in found if not each.accepted]
        versions = {}
        if not refused and not options["dry_run"]:
            reason = f"imported from {self.title(options)}"
            versions = publish_processes(found, options["actor"], reason)
        if options["json"]:
            facts = {"flows": {name: done.version for name, done in versions.items()}}
            self.write_json({"processes": [_facts(each) for each in found]} | (facts if versions else {}))
        for each in () if options["json"] else found:
            self.stdout.write(f"{each.process.title}: {'accepted' if each.accepted else 'not accepted'}")
            for line in sentences(each.problems, BadBpmn.most):
                self.stdout.write(f"  {line}")
            if each.flow in versions:
                self.stdout.write(f"  Flow {each.flow} {became(versions[each.flow])}.")
        if refused:
            raise Rejected(f"Not accepted: {', '.join(refused)}.")

    def prepared(self, path: Path, options: dict[str, Any]) -> tuple[ImportedProcess, dict[str, int]]:
        content = read_bytes(path, LARGEST)
        made = prepare_bpmn(options["flow"], content, options["process"], declare=options["declare"])
        process = made.made.process
        parts = {"elements": process.elements, "flows": process.flows}
        # What is added to a drawing has a slash in its id, which no id of XML has.
        return made, {what: sum("/" not in id_ for id_ in found) for what, found in parts.items()}


def _facts(checked: CheckedProcess) -> dict[str, Any]:
    """Return a process as JSON has it."""
    problems = [
        {"severity": each.severity, "kind": each.code, "element": each.element, "line": each.line,
         "text": each.message}
        for each in checked.problems
    ]  # fmt: skip
    process = checked.process
    facts = {"id": process.id, "name": process.name, "pool": process.pool}
    return facts | {"accepted": checked.accepted, "problems": problems}
