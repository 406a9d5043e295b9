"""manage.py caselinks --flow NAME: shows or replaces the links from cases of a flow to other systems."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from flows.errors import BadCase, UnknownFlow
from flows.management.base import FlowCommand
from flows.queries.definitions import flow_by_name
from monitor.links import save_links
from monitor.models import CaseLink


class Command(FlowCommand):
    help = "Shows the links from cases of a flow to other systems, or replaces them."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--flow", required=True, help="whose links")
        parser.add_argument("--file", type=Path, help="JSON file with the new links")

    def run(self, **options: Any) -> None:
        flow = flow_by_name(options["flow"])
        if flow is None:
            raise UnknownFlow
        if options["file"]:
            save_links(flow, _read(options["file"]))
        names = ("label", "url", "cause")
        rows = list(CaseLink.objects.filter(flow_id=flow.id).order_by("position").values_list(*names))
        if options["json"]:
            return self.write_json([dict(zip(names, each, strict=True)) for each in rows])
        self.write_table(names, rows, "The flow has no links.")


def _read(path: Path) -> list[Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadCase(f"The links cannot be read: {error}.", hint="See docs/cases.md.") from error
    if not isinstance(found, list):
        raise BadCase("The links are a list.", hint="See docs/cases.md for an example.")
    return found
