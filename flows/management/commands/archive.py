"""manage.py archive: moves finished instances past their retention to files of compressed JSON lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from flows.archive import archive_flow
from flows.errors import WedError
from flows.management.base import FlowCommand, Rejected
from flows.models import Flow


class Command(FlowCommand):
    help = (
        "Moves finished instances whose retention is over into DIRECTORY, as <flow>-<year>-<month>.jsonl.gz."
    )

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("directory", type=Path, help="directory of the archive files")
        parser.add_argument("--flow", help="only this flow (default: all that have a retention)")

    def run(self, **options: Any) -> None:
        chosen = Flow.objects.filter(retention__isnull=False).order_by("name")
        if options["flow"]:
            chosen = chosen.filter(name=options["flow"])
        moved: dict[str, int] = {}
        refused: list[WedError] = []
        for flow in chosen:
            try:
                moved[flow.name] = sum(archive_flow(flow.name, options["directory"]))
            except WedError as error:  # continue with the other flows
                refused.append(error)
            except OSError as error:
                raise Rejected(f"{options['directory']} cannot be written: {error.strerror}.") from error
        if options["json"]:
            self.write_json(moved)
        else:
            counts = [(name, str(n)) for name, n in moved.items()]
            self.write_table(("flow", "moved"), counts, "No flow has a retention.")
        if refused:
            raise refused[0]
