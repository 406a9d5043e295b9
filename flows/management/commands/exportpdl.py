"""manage.py flow export pdl NAME: writes a flow that was imported from PDL as PDL."""

from __future__ import annotations

from flows.loading.pdl import export_pdl
from flows.management.exports import ExportCommand


class Command(ExportCommand):
    help = "Writes the workflow of a flow as PDL, with its models of tasks and applications."
    language = "pdl"

    def text(self, flow: str, version: int) -> str:
        return export_pdl(flow, version)
