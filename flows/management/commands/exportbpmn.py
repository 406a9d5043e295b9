"""manage.py flow export bpmn NAME: writes a flow that was imported from BPMN or a graph as BPMN 2.0."""

from __future__ import annotations

from flows.loading.bpmn import export_bpmn
from flows.management.exports import ExportCommand


class Command(ExportCommand):
    help = "Writes the process of a flow as BPMN 2.0: the file that was imported, or a graph as a diagram."
    language = "bpmn"

    def text(self, flow: str, version: int) -> str:
        return export_bpmn(flow, version)
