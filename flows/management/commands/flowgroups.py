"""manage.py flow groups: creates ready-made groups of users."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction

from flows.management.base import FlowCommand, get_flow
from flows.users.groups import create_groups, create_groups_of


class Command(FlowCommand):
    help = "Creates groups of users who may see, design, publish, approve, operate, handle or repair flows."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--flow", help="groups for this flow alone (default: groups for all flows)")

    def run(self, **options: Any) -> None:
        name = options["flow"]
        with transaction.atomic():
            made = create_groups_of(get_flow(name).name) if name else create_groups()
        if options["json"]:
            self.write_json({"created": made})
        else:
            self.write_table(["created"], [[one] for one in made], "All these groups exist.")
