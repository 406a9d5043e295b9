"""manage.py flow lint FLOW: lists the problems of a definition, and what is probably not meant in it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from flows import api
from flows.definition.lint import Finding
from flows.engine.checks import SECONDS
from flows.management.base import FlowCommand, Rejected
from flows.management.naming import NAMES, named_definition
from flows.management.values import span
from flows.types import Problem
from flows.users.people import people_of

_LEVELS = {"error": 0, "warning": 1, "info": 2}


class Command(FlowCommand):
    help = "Lists the problems of a definition, and what is probably not meant in it; exit code 1 for any."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("flow")
        parser.add_argument("definition", nargs="?", help=f"{NAMES}; default: the flow's own")
        parser.add_argument(
            "--fail-on", choices=[*_LEVELS], default="warning", help="the least severity for exit code 1"
        )

        parser.add_argument("--seconds", type=span, default=SECONDS, help="how long the checks may take")

    def run(self, **options: Any) -> None:
        definition: Any = named_definition(options["definition"] or options["flow"])
        found: list[Problem | Finding] = [*api.conditions.check_definition(options["flow"], definition)]
        if not found:
            found = [
                *api.flows.lint(
                    options["flow"], definition, seconds=options["seconds"], people=people_of(definition)
                )
            ]
        if options["json"]:
            self.write_json({"findings": [asdict(one) for one in found]})
        else:
            for one in found:
                self.stdout.write(_line(one))
        counted = [
            one for one in found if _LEVELS[one.severity] <= _LEVELS[options["fail_on"]] and not _known(one)
        ]
        if counted:
            raise Rejected(f"{len(counted)} found.")


def _known(one: Problem | Finding) -> bool:
    """Return whether it is acknowledged: it is listed, and does not count."""
    return isinstance(one, Finding) and one.acknowledged is not None


def _line(one: Problem | Finding) -> str:
    name = one.check if isinstance(one, Finding) else one.code
    place = "/".join(map(str, one.path)) + (f":{one.position}" if one.position else "")
    how = f", {one.how}" if isinstance(one, Finding) else ""
    line = f"{place}: {one.severity}{how}: {one.message} [{name}]"
    if isinstance(one, Finding) and one.acknowledged:
        line += f" (acknowledged by {one.acknowledged.acknowledged_by}: {one.acknowledged.reason})"
    return line
