"""manage.py flow create NAME: creates an empty flow."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser
from django.db import connection, transaction

from flows.definition import FLOW
from flows.management.base import FlowCommand
from flows.operations import Design


class Command(FlowCommand):
    help = (
        "Creates an empty flow: its schema, wed_flow and the views wed_attr, wed_trig, job_pool, wed_trace."
    )
    records_actor = True

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="lower-case letters, digits and _")
        parser.add_argument("--label", default="", help="name shown to people")
        policy = FLOW["final_when_pending"]
        parser.add_argument("--final-when-pending", choices=list(policy.choices), default=policy.default)

    def run(self, **options: Any) -> None:
        name = options["name"]
        settings = {"label": options["label"], "final_when_pending": options["final_when_pending"]}
        with transaction.atomic():
            design = Design(connection, name, options["actor"])
            design.create_new(settings)
        if options["json"]:
            self.write_json({"flow": name, "id": design.id(), **settings})
        else:
            self.stdout.write(f"Flow {name} created. Define it with: manage.py flow load FILE --flow {name}")
