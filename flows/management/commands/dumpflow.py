"""manage.py dumpflow NAME: a flow's definition as a file that loads again."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser
from django.db import connection, transaction

from flows.loading import as_sql
from flows.management.answers import FlowCommand, the_flow
from flows.operations import Design


class Command(FlowCommand):
    help = "Writes the definition of a flow, as SQL that loadflow and psql read, or as JSON."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--format", choices=("sql", "json"), default="sql")

    def answer(self, **options: Any) -> None:
        flow = the_flow(options["name"])
        with transaction.atomic():
            definition = Design(connection, flow.name).definition()
        if options["json"] or options["format"] == "json":
            self.write_json(definition)
        else:
            self.stdout.write(as_sql(definition), ending="")
