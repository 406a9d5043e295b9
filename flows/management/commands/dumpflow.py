"""manage.py flow show NAME: prints a flow's definition in a format that flow load reads."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction

from flows import api
from flows.definition.files import FORMATS
from flows.loading import as_sql
from flows.management.base import FlowCommand, get_flow


class Command(FlowCommand):
    help = "Writes the definition of a flow, as SQL that flow load and psql read, or as JSON or YAML."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--format", choices=("sql", "json", "yaml"), default="sql")

    def run(self, **options: Any) -> None:
        flow = get_flow(options["name"])
        with transaction.atomic():
            definition = api.flows.definition(flow.name)
        form = "json" if options["json"] else options["format"]
        text = as_sql(definition) if form == "sql" else FORMATS[form].write(definition)
        self.stdout.write(text.removesuffix("\n"))
