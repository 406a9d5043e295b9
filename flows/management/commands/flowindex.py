"""manage.py flow index: lists, requests, drops and creates the indexes of attributes for filters."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from flows import api
from flows.engine.indexes import AttributeIndex, IndexWork
from flows.errors import WedError
from flows.management.base import FlowCommand, Usage

HEAD = ["flow", "attribute", "state", "bytes", "seconds", "actor", "problem"]


class Command(FlowCommand):
    help = (
        "Lists the indexes that were requested for filters; requests or drops the one of an attribute. With"
        " --build, as the owner of the kernel, creates and drops them without blocking writers."
    )
    records_actor = True

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("flow", nargs="?", help="name of the flow")
        parser.add_argument("attribute", nargs="?", help="attribute that gets an index")
        parser.add_argument("--drop", action="store_true", help="withdraw the request for the index")
        parser.add_argument("--build", action="store_true", help="create and drop what was requested")

    def run(self, **options: Any) -> None:
        flow, attribute = options["flow"], options["attribute"]
        if options["drop"] and not attribute:
            raise Usage("--drop needs a flow and an attribute.")
        if attribute == "":
            raise Usage("The name of the attribute is empty.")
        if attribute and options["drop"]:
            api.indexes.withdraw(flow, attribute)
        elif attribute:
            api.indexes.request(flow, attribute, actor=options["actor"])
        done = api.indexes.build() if options["build"] else []
        found = api.indexes.list([flow] if flow else None)
        if options["json"]:
            self.write_json([asdict(each) for each in found])
        else:
            self.write_table(HEAD, map(_row, found), "No attribute has an index by request.")
        _raise_first(done)


def _row(found: AttributeIndex) -> list[Any]:
    return [getattr(found, name) for name in HEAD]


def _raise_first(done: list[IndexWork]) -> None:
    """Fail if a statement failed. Raises WedError."""
    for work in done:
        if work.problem:
            raise WedError(work.problem)
