"""manage.py explain WID: says why an instance is where it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from flows import api
from flows.capabilities.reasons import sentences
from flows.capabilities.reasons.api import InstanceReasons, JobReason, Obstacle, RuleReason
from flows.management.base import FlowCommand
from flows.models import Status


class Command(FlowCommand):
    help = "Says why an instance is where it is: what its jobs wait for, and what each rule still needs."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("wid", type=int, help="number of the instance")
        parser.add_argument("--step", type=int, help="explain this step of its history; default: now")

    def run(self, **options: Any) -> None:
        found = api.reasons.explain_instance(options["wid"], options["step"])
        if options["json"]:
            self.write_json(asdict(found))
            return
        for line in _lines(found):
            self.stdout.write(line)


def _lines(found: InstanceReasons) -> Iterator[str]:
    when = "" if found.now else f", at step {found.seq}"
    reason = f" ({found.reason})" if found.reason else ""
    yield f"Instance {found.wid} of flow {found.flow}{when}: {Status(found.status).name.lower()}{reason}"
    for job in found.jobs:
        yield f"{job.transition} is pending since {job.fired_at}. {_waiting(job)}"
    for rule in found.holding:
        yield f"{rule.title} holds." + (f" It waits until {rule.due_at}." if rule.due_at else "")
    for rule in found.nearest:
        yield f"{rule.title} does not hold. It needs:"
        yield from (f"  {line}" for line in _needs(rule, found))
    for rule in found.rules:
        if not rule.enabled:
            yield f"{rule.title} is disabled."


def _waiting(job: JobReason) -> str:
    time = sentences.moment(job)
    word = "until" if "until" in job.facts else "since"
    return sentences.waiting(job) + (f" ({word} {time})" if time else "")


def _needs(rule: RuleReason, found: InstanceReasons) -> Iterator[str]:
    for one in rule.obstacles:
        now = ", ".join(_now(one, name) for name in one.now)
        facts = "; ".join(text for text in (sentences.found(one), now) if text)
        yield sentences.needed(one, found.labels) + (f" ({facts})" if facts else "")


def _now(one: Obstacle, name: str) -> str:
    text = f"{name} is {sentences.value(one.now[name])}"
    wrote = one.written.get(name)
    return text + (f" since step {wrote.seq}, written by {wrote.by} at {wrote.at}" if wrote else "")
