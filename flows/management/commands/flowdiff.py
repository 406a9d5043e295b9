"""manage.py flow diff A B: says how two definitions differ."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from flows import api
from flows.definition.sentences import describe, order_sentences
from flows.management.base import FlowCommand, Rejected
from flows.management.naming import NAMES, named_definition


class Command(FlowCommand):
    help = "Says how two definitions differ; exit code 1 if they do."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("old", help=NAMES)
        parser.add_argument("new", help=NAMES)

    def run(self, **options: Any) -> None:
        old, new = named_definition(options["old"]), named_definition(options["new"])
        changes = api.flows.difference(old, new)
        order = order_sentences(old, new)
        if options["json"]:
            said = [asdict(change) | {"sentences": describe(change)} for change in changes]
            self.write_json({"different": bool(changes or order), "changes": said, "order": order})
        else:
            for sentence in [*(text for change in changes for text in describe(change)), *order]:
                self.stdout.write(sentence)
        if changes or order:
            raise Rejected(f"{options['old']} and {options['new']} differ.")
