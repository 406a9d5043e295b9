"""manage.py flow whatif FLOW CONDITION: says where a condition holds, and held in the history."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.core.management.base import CommandParser

from flows import api
from flows.management.base import FlowCommand, get_flow
from flows.management.values import number, past, span


class Command(FlowCommand):
    help = "Says where a condition holds, and what a rule with it would have done in the history."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("flow")
        parser.add_argument("condition")
        parser.add_argument("--history", action="store_true", help="examine the history, too")
        parser.add_argument("--since", type=past, help="the history after this time (UTC)")
        parser.add_argument(
            "--limit", type=number(1), default=1_000_000, help="examine about so many instances"
        )
        parser.add_argument("--seconds", type=span, default=20.0, help="how long it may take")

    def run(self, **options: Any) -> None:
        since: datetime | None = options["since"]
        found = api.trials.what_if(
            get_flow(options["flow"]).name,
            options["condition"],
            history=options["history"] or since is not None,
            since=since,
            limit=options["limit"],
            seconds=options["seconds"],
        )
        if options["json"]:
            self.write_json(found)
        else:
            for line in _lines(found):
                self.stdout.write(line)


def _lines(found: dict[str, Any]) -> Iterator[str]:
    yield (
        f"True on {found['true']}, unknown on {found['unknown']} and failing on {found['fails']}"
        f" of {found['examined']} examined living instances ({found['living']} in all)."
    )
    for wid in found["sample"]:
        yield f"Instance {wid} since {found['since'].get(str(wid), '?')}."
    past = found.get("history")
    if past:
        yield (
            f"In {past['examined']} of {past['instances']} instances it became true"
            f" {past['became_true']} times, in {past['fired_again']} of them more than once."
        )
        yield f"It was true when {past['exceptions_fewer']} of {past['exceptions']} exceptions began."
