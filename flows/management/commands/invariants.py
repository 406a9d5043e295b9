"""manage.py invariants: checks the conditions that must hold after every commit."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from flows.engine.connection import rows
from flows.management.base import FlowCommand, Rejected


class Command(FlowCommand):
    help = "Checks the invariants; exit code 1 when one is broken, with an example of it."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--limit", type=int, help="check about this many instances: the newest and the longest waiting"
        )

    def run(self, **options: Any) -> None:
        found = rows(None, "select * from wedsql.invariants(%s)", (options["limit"],))
        names = ("name", "ok", "found", "example", "sentence")
        if options["json"]:
            self.write_json([dict(zip(names, row, strict=True)) for row in found])
        else:
            shown = [(row[0], "holds" if row[1] else "BROKEN", *row[2:]) for row in found]
            self.write_table(names, shown, "The kernel knows no invariants.")
        broken = [row[0] for row in found if not row[1]]
        if broken:
            raise Rejected(f"Broken: {', '.join(broken)}.")
