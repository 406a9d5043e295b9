"""Small processes as five kinds of modellers write them: their prefixes, extensions, ids and layouts."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parents[2] / "corpus" / "vendors"
STARTED = {
    "camunda7.bpmn": "Check the loan: 1 token",
    "camunda8.bpmn": "Weigh: 1 token",
    "flowable.bpmn20.xml": "Approve: 1 token",
    "pooled.bpmn": "Press the parts: 1 token",
    "jbpm.bpmn2": "Log: 1 token",
}
"""The files by their names, with what a diagram says of an instance that has just been started."""
