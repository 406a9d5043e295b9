"""manage.py flowdiff A B: says how two definitions differ."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from flows import api
from flows.definition.sentences import describe
from flows.management.base import FlowCommand, Rejected, Usage, get_flow
from flows.management.files import is_definition, read_definition

_NAMED = re.compile(r"(?P<flow>[a-z][a-z0-9_]*)(?:@(?P<version>\d{1,9})|:(?P<branch>[a-z0-9_-]+))?")


class Command(FlowCommand):
    help = "Says how two definitions differ; exit code 1 if they do."

    def arguments(self, parser: CommandParser) -> None:
        what = "a .json or .yaml file, a flow, its version (orders@3) or its draft (orders:main)"
        parser.add_argument("old", help=what)
        parser.add_argument("new", help=what)

    def run(self, **options: Any) -> None:
        changes = api.difference(_definition(options["old"]), _definition(options["new"]))
        if options["json"]:
            said = [asdict(change) | {"sentences": describe(change)} for change in changes]
            self.write_json({"different": bool(changes), "changes": said})
        else:
            for sentence in [text for change in changes for text in describe(change)]:
                self.stdout.write(sentence)
        if changes:
            raise Rejected(f"{options['old']} and {options['new']} differ.")


def _definition(named: str) -> Mapping[str, Any]:
    """Return the definition that an argument names."""
    path = Path(named)
    if is_definition(path):
        return read_definition(path)
    found = _NAMED.fullmatch(named)
    if found is None:
        raise Usage(f"{named} names no file, flow, version or draft.")
    if found["branch"]:
        return api.read_draft(found["flow"], found["branch"]).definition
    flow = get_flow(found["flow"]).name
    if found["version"]:
        return api.version_definition(flow, int(found["version"]))
    return api.running_definition(flow)[1]
