"""The verbs of manage.py cases that are about recovery: policies, suggestions, proposed rules."""

from __future__ import annotations

import textwrap
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from flows import api, json_text
from flows.capabilities.recovery.policies import RecoveryPolicy
from flows.capabilities.recovery.proposed_rules import ProposedRule
from flows.capabilities.recovery.suggestions import Suggestion
from flows.errors import BadPolicy
from flows.management.base import FlowCommand, cell


class PolicyVerbs(FlowCommand):
    """The verbs; the command mixes them in and calls the method of a verb."""

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--draft", action="store_true", help="with “rule”: add it to the draft of the flow"
        )
        super().arguments(parser)

    def _policies(self, options: dict[str, Any]) -> None:
        if options["file"]:
            found = api.repairs.save_policies(
                options["flow"], _policies_in(options["file"]), options["actor"]
            )
        else:
            found = api.repairs.list_policies(options["flow"])
        names = (*RecoveryPolicy.__dataclass_fields__, "missing")
        rows = [[getattr(each, name) for name in names] for each in found]
        if options["json"]:
            return self.write_json([dict(zip(names, each, strict=True)) for each in rows])
        headers = ("policy", *names[1:-2], "delay in seconds", "missing attributes")
        self.write_table(headers, rows, "The flow has no policies.")

    def _suggestions(self, options: dict[str, Any]) -> None:
        found = api.repairs.suggestions(options["number"], _flows(options))
        if options["json"]:
            return self.write_json([asdict(each) for each in found])
        headers = ("operation", "values", "cases", "final", "median seconds", "last", "evidence")
        rows = [
            (each.operation, ", ".join(_written(each)), each.cases, each.final, each.median_seconds,
             each.last_at, "thin" if each.is_thin else "")
            for each in found
        ]  # fmt: skip
        self.write_table(headers, rows, "No case like this one was repaired yet.")

    def _rule(self, options: dict[str, Any]) -> None:
        number, flows = options["number"], _flows(options)
        found = api.repairs.proposed_rule(number, flows)
        if options["draft"]:
            api.repairs.draft_proposed_rule(number, flows, actor=options["actor"])
        if options["json"]:
            return self.write_json(found and asdict(found))
        if found is None:
            return self.stdout.write("No rule can be derived from this case.")
        self.write_table(("rule", f"for case {number}"), _rule_rows(found), "")
        if options["draft"]:
            self.stdout.write(f"The rule is in the draft of flow {found.flow}. Nothing is published.")
        return None


def _flows(options: dict[str, Any]) -> list[str] | None:
    return [options["flow"]] if options["flow"] else None


def _rule_rows(found: ProposedRule) -> list[tuple[str, Any]]:
    """Return the names and values of a rule, its condition in as many lines as it needs."""
    first, *others = textwrap.wrap(found.condition, 78)
    return [("condition", first), *((" ", each) for each in others), ("writes", ", ".join(_written(found))),
            ("repaired cases", found.repaired), ("final", found.final), ("open cases", found.open),
            ("past cases", found.past), ("evidence", "thin" if found.is_thin else "-")]  # fmt: skip


def _written(one: Suggestion | ProposedRule) -> list[str]:
    """Return the attributes that a repair wrote, with the values that were the same in several cases."""
    return [f"{name}={cell(one.values[name])}" if name in one.values else name for name in one.attributes]


def _policies_in(path: Path) -> list[RecoveryPolicy]:
    try:
        return [RecoveryPolicy(**each) for each in json_text.decode(path.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError) as error:
        raise BadPolicy(
            f"The policies cannot be read: {error}.", hint="See docs/recovery.md for an example."
        ) from error
