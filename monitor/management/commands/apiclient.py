"""manage.py apiclient: writes a Python module that calls the HTTP API."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from flows.management.base import FlowCommand
from flows.management.files import write_text
from monitor.api.client import python_module
from monitor.api.document import document


class Command(FlowCommand):
    help = "Writes a Python module that calls the HTTP API; it needs only Python. With --json, the document."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--output", type=Path, help="the file to write (default: standard output)")

    def run(self, **options: Any) -> None:
        if options["json"]:
            self.write_json(document())
            return
        text, path = python_module(document()), options["output"]
        if path is None:
            self.stdout.write(text, ending="")
            return
        write_text(path, text)
        self.stdout.write(f"{path} has {text.count(chr(10))} lines.")
