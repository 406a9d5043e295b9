"""What completing a task would do, in the words of its flow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flows import api
from flows.capabilities.recovery.api import as_preview
from flows.capabilities.tasks.api import TaskSheet
from flows.queries.definitions import FlowInfo
from monitor.recovery.consequences import ShownPreview, shown

MOST = 8


@dataclass(frozen=True)
class OutcomePreview:
    """What would happen with one outcome; its name is None where the task has one only."""

    outcome: str | None
    preview: ShownPreview


def of(sheet: TaskSheet, flow: FlowInfo, person: str, data: Mapping[str, Any]) -> list[OutcomePreview]:
    """Return the effect of completing with each outcome."""
    found = [name for name in sheet.outcomes if name != "FAILED"][:MOST]
    names: list[str | None] = [*found] if found else [None]
    return [
        OutcomePreview(
            name, shown(as_preview(api.task_forms.preview(sheet.job_id, person, data, name)), flow)
        )
        for name in names
    ]
