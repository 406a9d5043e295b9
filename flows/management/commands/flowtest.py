"""manage.py flow test FLOW: runs the scenarios of a flow on a definition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from flows import api
from flows.capabilities.trials.replays import Replayed
from flows.definition.coverage import Coverage
from flows.definition.scenarios import Outcome
from flows.management.base import FlowCommand, Rejected
from flows.management.files import is_definition
from flows.management.naming import NAMES, named_definition
from flows.management.values import number


class Command(FlowCommand):
    help = "Runs the scenarios of a flow on a definition; exit code 1 if one does not go as expected."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("flow")
        parser.add_argument("definition", nargs="?", help=f"{NAMES}; default: the flow's own")
        parser.add_argument(
            "--replay",
            type=number(0),
            default=0,
            metavar="N",
            help="also replay the N instances that finished last",
        )

    def run(self, **options: Any) -> None:
        definition = _definition(options["flow"], options["definition"] or options["flow"])
        found = api.trials.list_scenarios(options["flow"])
        outcomes = [one for one in api.trials.run_scenarios(definition, found) if one is not None]
        replayed = list(api.trials.replay(options["flow"], definition, last=options["replay"]))
        covered = api.conditions.coverage(definition, outcomes, flow=options["flow"])
        if options["json"]:
            facts = [_facts(one) for one in outcomes]
            replays = {"replayed": [asdict(one) for one in replayed]}
            self.write_json({"scenarios": facts, "coverage": asdict(covered)} | replays)
        else:
            for line in (*_lines(outcomes), *_missing(covered), *_differing(replayed)):
                self.stdout.write(line)
        deviating = sum(not one.ok for one in outcomes)
        if deviating:
            raise Rejected(f"{deviating} of {len(outcomes)} scenarios do not go as expected.")
        differing = sum(one.deviation is not None for one in replayed)
        if differing:
            raise Rejected(f"The path of {differing} of {len(replayed)} finished instances would differ.")


def _definition(flow: str, named: str) -> Any:
    """Return the definition; what a file has of the running one gets its number."""
    definition = named_definition(named)
    if not is_definition(Path(named)):
        return definition
    return api.drafts.numbered(api.drafts.running_definition(flow)[1], definition)


def _facts(one: Outcome) -> Mapping[str, Any]:
    facts: dict[str, Any] = {"name": one.scenario.name, "ok": one.ok}
    if one.deviation:
        facts |= {"step": one.deviation.step + 1, "deviation": one.deviation.sentence}
    return facts


def _lines(outcomes: list[Outcome]) -> Iterator[str]:
    for one in outcomes:
        if one.deviation is None:
            yield f"{one.scenario.name}: as expected."
        else:
            yield f"{one.scenario.name}: step {one.deviation.step + 1}: {one.deviation.sentence}"
    if not outcomes:
        yield "The flow has no scenarios."


def _missing(covered: Coverage) -> Iterator[str]:
    """Return the rules that the scenarios exercise, and those that they do not."""
    yield (
        f"Exercised: {covered.exercised} of {len(covered.rules)} rules; {covered.covered} of {covered.parts}"
        " parts of conditions were both true and not true."
    )
    for rule in covered.rules:
        if not rule.exercised:
            yield f"{rule.title}: never {'held' if rule.final else 'fired'}."
        for part in rule.missing:
            never = "false or unknown" if "t" in part.values else "true"
            yield f"{rule.title}: {part.text} was never {never}."


def _differing(replayed: list[Replayed]) -> Iterator[str]:
    if replayed:
        whole = sum(one.whole for one in replayed)
        yield f"Replayed: {len(replayed)} finished instances, {whole} of them to their end."
    for one in replayed:
        if one.deviation:
            yield f"instance {one.wid}: step {one.deviation.step + 1}: {one.deviation.sentence}"
