"""manage.py controls: who changed rules, webhooks, visibility, keys, users and rights."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from flows import api
from flows.capabilities.controls.api import AskedControls, ControlChange
from flows.errors import KeptChange
from flows.management.base import FlowCommand
from flows.management.values import number


class Command(FlowCommand):
    help = "Lists the changes of rules, webhooks, visibility, keys, users and rights, the newest first."
    any_flow = True

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--flow", default="", help="only changes of this flow")
        parser.add_argument("--control", default="", help="only changes of this table, such as approval_rule")
        parser.add_argument("--by", default="", help="only changes by this person")
        parser.add_argument("--before", type=number(1, 2**63 - 1), help="continue before this number")
        parser.add_argument(
            "--limit", type=number(1, 1000), default=50, help="list so many (default: 50, at most 1000)"
        )

    def run(self, **options: Any) -> None:
        known = api.controls.list()
        if options["control"] and options["control"] not in known:
            raise KeptChange(f"“{options['control']}” is no control.", hint=f"Controls: {', '.join(known)}.")
        asked = AskedControls(options["flow"], options["control"], options["by"])
        found = api.controls.list_changes(asked, before=options["before"], limit=options["limit"])
        if options["json"]:
            return self.write_json([asdict(each) for each in found])
        self.write_table(
            ["number", "time", "person", "role", "control", "item", "flow", "change"],
            [
                [c.id, c.at, c.actor, c.role, c.control, c.item, c.flow, _different(c)]
                for c in found
            ],
            "No control was changed.",
        )  # fmt: skip


def _different(change: ControlChange) -> str:
    if change.before is None:
        return "added"
    if change.after is None:
        return "deleted"
    return ", ".join(
        f"{name}: {change.before.get(name)} → {change.after.get(name)}" for name in change.different
    )
