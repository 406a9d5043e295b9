"""What the commands that write the text of a flow have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from flows.management.base import FlowCommand, Rejected, get_flow
from flows.management.files import write_text


class ExportCommand(FlowCommand):
    """A command that writes a version of a flow in another language."""

    language = ""

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("flow", metavar="NAME", help="name of the flow")
        parser.add_argument(
            "--of-version", type=int, metavar="N", help="version of the flow (default: the present one)"
        )
        parser.add_argument("--output", type=Path, metavar="FILE", help="write to a file instead")

    def text(self, flow: str, version: int) -> str:
        """Return a version of a flow in the language. Raises BadGraph where that is not possible."""
        raise NotImplementedError

    def run(self, **options: Any) -> None:
        flow = get_flow(options["flow"])
        version = flow.version if options["of_version"] is None else options["of_version"]
        if not 1 <= version <= flow.version:
            raise Rejected(
                f"Flow {flow.name} has the versions 1 to {flow.version}, but no version {version}."
            )
        text = self.text(flow.name, version)
        if options["output"] is not None:
            write_text(options["output"], text)
        if options["json"]:
            self.write_json({"flow": flow.name, "version": version, self.language: text})
        elif options["output"] is None:
            self.stdout.write(text, ending="")
