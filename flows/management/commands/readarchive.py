"""manage.py readarchive: lists the instances in files written by the command archive."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from flows.archive import NotReadable, read_archive
from flows.management.base import FlowCommand


class Command(FlowCommand):
    help = "Lists the instances of an archive file or directory, or one of them with its whole history."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, help="a .jsonl.gz file, or a directory of them")
        parser.add_argument("--wid", type=int, help="the number of one instance")

    def run(self, **options: Any) -> None:
        if not options["path"].exists():
            raise CommandError(f"There is no {options['path']}.")
        try:
            read = list(read_archive(options["path"], self._report))
        except NotReadable as error:
            raise CommandError(str(error)) from error
        found = [each for each in read if options["wid"] in (None, each["instance"]["wid"])]
        if options["json"] or options["wid"] is not None:
            self.write_json(found)
            return
        self.write_table(
            ("wid", "flow", "status", "steps", "finished"),
            [_row(document) for document in found],
            "It holds no instance.",
        )

    def _report(self, file: Path, begin: int, length: int) -> None:
        self.stderr.write(f"{file}: {length} bytes from byte {begin} cannot be read; they are passed over.")


def _row(document: dict[str, Any]) -> tuple[str, ...]:
    instance = document["instance"]
    steps = str(len(document["trace"]))
    return (str(instance["wid"]), document["flow"], instance["status"], steps, instance["finished_at"])
