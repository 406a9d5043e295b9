"""manage.py bulk [NUMBER [pause|resume|withdraw]]: lists operations on many instances, or controls one."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from flows import api
from flows.capabilities.bulk.api import BulkRow
from flows.management.base import FlowCommand

ACTIONS = {"pause": api.bulk.pause, "resume": api.bulk.resume, "withdraw": api.bulk.withdraw}
HEAD = ["bulk", "operation", "state", "total", "done", "refused", "gone", "left", "actor", "reason"]


class Command(FlowCommand):
    help = (
        "Lists operations on many instances; shows one and what was refused, pauses, resumes or withdraws it."
    )
    records_actor = True

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("bulk", type=int, nargs="?", help="number of the operation")
        parser.add_argument("action", choices=[*ACTIONS], nargs="?")

    def run(self, **options: Any) -> None:
        number, action = options["bulk"], options["action"]
        if action:
            ACTIONS[action](number, actor=options["actor"])
        found = api.bulk.list() if number is None else [api.bulk.read(number)]
        refused = [] if number is None else api.bulk.rows(number, "refused", limit=500)
        if options["json"]:
            shown: list[Any] = [asdict(each) | {"left": each.left} for each in found]
            self.write_json(shown if number is None else shown[0] | {"refused_rows": refused_as(refused)})
            return
        lines = [[getattr(each, "id" if name == "bulk" else name) for name in HEAD] for each in found]
        self.write_table(HEAD, lines, "There is no operation on many instances.")
        if refused:
            rows = [[row.wid, row.flow, row.sqlstate, row.message] for row in refused]
            self.stdout.write("")
            self.write_table(["instance", "flow", "error", "message"], rows, "")


def refused_as(rows: list[BulkRow]) -> list[dict[str, Any]]:
    """Return the refused instances for JSON."""
    return [{"wid": row.wid, "flow": row.flow, "code": row.sqlstate, "message": row.message} for row in rows]
