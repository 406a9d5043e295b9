"""The verb of manage.py cases that reads and saves recovery policies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flows import api, json_text
from flows.api.policies import RecoveryPolicy
from flows.errors import BadPolicy
from flows.management.base import FlowCommand


class PolicyVerbs(FlowCommand):
    """The verb `policies`, which takes --flow and --file."""

    def _policies(self, options: dict[str, Any]) -> None:
        if options["file"]:
            found = api.save_policies(options["flow"], _policies_in(options["file"]), options["actor"])
        else:
            found = api.list_policies(options["flow"])
        names = (*RecoveryPolicy.__dataclass_fields__, "missing")
        rows = [[getattr(each, name) for name in names] for each in found]
        if options["json"]:
            return self.write_json([dict(zip(names, each, strict=True)) for each in rows])
        headers = ("policy", *names[1:-2], "delay in seconds", "missing attributes")
        self.write_table(headers, rows, "The flow has no policies.")


def _policies_in(path: Path) -> list[RecoveryPolicy]:
    try:
        return [RecoveryPolicy(**each) for each in json_text.decode(path.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError) as error:
        raise BadPolicy(
            f"The policies cannot be read: {error}.", hint="See docs/recovery.md for an example."
        ) from error
