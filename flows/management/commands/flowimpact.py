"""manage.py flow impact FLOW DEFINITION: shows what publishing would do to the living instances."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from flows import api
from flows.management.base import FlowCommand, Rejected, get_flow
from flows.management.naming import NAMES, named_definition
from flows.management.values import number
from flows.types import Counted, Impact

_CONSEQUENCES = {
    "left_exception": "are exceptions now and would be none",
    "new_exception": "would become exceptions",
    "final": "would become final",
    "reopened": "are final and would run again",
    "no_longer_final": "are final, and their final condition would not hold",
    "refused": "have a condition that fails, so publishing would be refused",
}


class Command(FlowCommand):
    help = (
        "Shows what publishing would do to the living instances; exit code 1 if publishing would be refused."
    )

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("flow")
        parser.add_argument("definition", help=NAMES)
        parser.add_argument("--reopen-final", action="store_true")
        parser.add_argument(
            "--limit", type=number(1), default=1_000_000, help="examine no more instances than these"
        )

    def run(self, **options: Any) -> None:
        flow = get_flow(options["flow"]).name
        definition: Any = named_definition(options["definition"])
        problems = api.conditions.check_definition(flow, definition)
        if problems:
            raise Rejected(f"Publishing would be refused: {problems[0].message} See flow lint.")
        found = api.trials.impact(
            flow, definition, reopen_final=options["reopen_final"], limit=options["limit"]
        )
        if options["json"]:
            self.write_json(asdict(found))
        else:
            for line in _lines(found, definition):
                self.stdout.write(line)
        if found.refused.count:
            raise Rejected("Publishing would be refused.")


def _lines(found: Impact, definition: Any) -> Iterator[str]:
    share = "" if found.exact else f"; {found.examined} of them were examined"
    yield f"Living instances: {found.living}{share}."
    for rule in found.rules:
        given = {} if rule.trigger is None else definition["triggers"][rule.trigger]
        name = (
            given.get("name")
            or given.get("transition")
            or ("final" if given else f"removed trigger {rule.tgid}")
        )
        yield (
            f"{name}: holds for {rule.both.count + rule.only_before.count} before and for"
            f" {rule.both.count + rule.only_after.count} after, fires for {rule.fires.count},"
            f" {rule.loses_condition.count} jobs lose their condition, {rule.withdrawn.count} are withdrawn,"
            f" {rule.follows.count} follow what else is changed."
        )
    for name, sentence in _CONSEQUENCES.items():
        counted: Counted = getattr(found, name)
        if counted.count:
            yield f"{counted.count} {sentence}: {', '.join(map(str, counted.sample))}."
