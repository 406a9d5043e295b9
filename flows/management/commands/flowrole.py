"""manage.py flow role NAME: creates or drops the database role of one flow, for clients in plain SQL."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from flows import api
from flows.management.base import FlowCommand


class Command(FlowCommand):
    help = "Creates the log-in role named like a flow, which may do its work in plain SQL and nothing else."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("flow", help="name of the flow")
        parser.add_argument("--drop", action="store_true", help="remove the role and its rights")

    def run(self, **options: Any) -> None:
        if options["drop"]:
            api.flows.close_role(options["flow"])
        else:
            api.flows.open_role(options["flow"])
        if options["json"]:
            self.write_json({"role": options["flow"], "dropped": options["drop"]})
        elif options["drop"]:
            self.stdout.write(f"The role {options['flow']} is gone.")
        else:
            self.stdout.write(
                f"The role {options['flow']} may log in; its search_path is the flow's schema."
                f" Give it a password with: alter role \"{options['flow']}\" password '...';"
                " While it may log in, notifications of jobs of other flows contain no state."
            )
