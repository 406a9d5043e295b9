"""manage.py startinstance FLOW a=1 b='two words': starts one instance."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import CommandParser

from flows import api
from flows.management.base import FlowCommand, Usage
from flows.models import Status, TraceEntry


class Command(FlowCommand):
    help = "Starts an instance of a flow; attributes that are not given have their initial values."
    records_actor = True

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("flow")
        parser.add_argument(
            "values",
            nargs="*",
            metavar="attribute=value",
            help="a text that the database reads as the attribute's type; attribute:=json for JSON or null",
        )
        parser.add_argument("--key", help="a repeated key returns the instance that it started")

    def run(self, **options: Any) -> None:
        state = dict(_value(text) for text in options["values"])
        wid = api.start(options["flow"], state, actor=options["actor"], key=options["key"])
        first = TraceEntry.objects.get(wid=wid, seq=_first(wid))
        status = Status(first.status)
        if options["json"]:
            self.write_json(
                {"wid": wid, "flow": options["flow"], "status": status.value, "fired": first.fired}
            )
            return
        fired = f", fired {', '.join(first.fired)}" if first.fired else ""
        self.stdout.write(f"Instance {wid} of flow {options['flow']} started: {status.name.lower()}{fired}.")


def _first(wid: int) -> int:
    return TraceEntry.objects.filter(wid=wid).order_by("seq").values_list("seq", flat=True)[0]


def _value(text: str) -> tuple[str, Any]:
    """Parse one argument into attribute and value; raises Usage."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip(":"):
        raise Usage(f"“{text[:80]}” is not attribute=value.")
    if not name.endswith(":"):
        return name, value
    try:
        return name[:-1], json.loads(value)
    except ValueError as error:
        raise Usage(f"“{value[:80]}” is not JSON: {error}.") from error
