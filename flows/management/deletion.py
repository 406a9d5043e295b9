"""manage.py flow drop NAME: deletes a flow."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction

from flows import api
from flows.management.base import FlowCommand, Usage, get_flow
from flows.users.holdings import held


class Command(FlowCommand):
    takes_tasks = True
    help = "Deletes a flow; with --force also its instances and their history."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--force", action="store_true", help="also instances, jobs and history")
        parser.add_argument("--confirm", metavar="NAME", help="the name once more, which --force requires")

    def run(self, **options: Any) -> None:
        flow = get_flow(options["name"])
        if options["force"] and options["confirm"] != flow.name:
            raise Usage(f"--force deletes the history of {flow.name}: add --confirm {flow.name}.")
        with transaction.atomic():
            api.flows.drop(flow.name, force=options["force"], held=held())
        if options["json"]:
            self.write_json({"dropped": flow.name})
        else:
            self.stdout.write(f"Flow {flow.name} is deleted.")
