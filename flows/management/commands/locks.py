"""manage.py locks FLOW: which jobs hold locks, and which wait for them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from flows import api
from flows.management.base import FlowCommand
from flows.management.values import number


class Command(FlowCommand):
    help = "Lists the jobs of the flow that need a lock, by lock: its holder, then those that wait, in order."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("flow")
        parser.add_argument(
            "--limit", type=number(1, 1000), default=50, help="list so many (default: 50, at most 1000)"
        )

    def run(self, **options: Any) -> None:
        found = api.locks.list(options["flow"], limit=options["limit"])
        if options["json"]:
            return self.write_json([asdict(each) for each in found])
        self.write_table(
            ["lock", "job", "instance", "transition", "fired", "holder"],
            [[j.lock, j.job, j.wid, j.transition, j.fired_at, j.holder or "waits"] for j in found],
            "No job of the flow needs a lock now.",
        )
