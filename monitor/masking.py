"""What a user sees of a flow some of whose attributes are concealed (flows.access.shown_to)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from flows.capabilities.reasons.api import InstanceReasons, JobReason, Obstacle, RuleReason
from flows.capabilities.recovery.api import RepairPreview
from flows.queries.definitions import FlowInfo
from flows.queries.history.trace import Step
from flows.queries.jobs import EXCEPTION, OpenJob

CONCEALED = "…"


def values(flow: FlowInfo, found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are shown, by name."""
    return {name: each for name, each in found.items() if flow.shows(name)}


def step(flow: FlowInfo, found: Step) -> Step:
    """Return a step with the changes that are shown, without texts of errors, which may quote values.

    Of the reason of a step that parks a job, only what is before the text of the error is left.
    """
    if not flow.concealed:
        return found
    reason = found.reason
    if reason and found.written_by == EXCEPTION:
        reason = reason.partition(":")[0]
    cells = tuple(each for each in found.cells if flow.shows(each.name))
    return replace(found, errors=None, reason=reason, cells=cells)


def job(flow: FlowInfo, found: OpenJob) -> OpenJob:
    """Return a job without the text of its error, which may quote values."""
    return replace(found, last_error=None) if flow.concealed else found


def reasons(flow: FlowInfo, found: InstanceReasons) -> InstanceReasons:
    """Return the reasons with the values that are shown; conditions stay, errors of jobs do not."""
    if not flow.concealed:
        return found
    return replace(
        found,
        state=values(flow, found.state),
        rules=[_rule(flow, each) for each in found.rules],
        jobs=waiting(flow, found.jobs),
    )


def waiting(flow: FlowInfo, found: Sequence[JobReason]) -> list[JobReason]:
    """Return the reasons for which jobs wait, without errors and names of locks, which may have values."""
    return [_waiting(each) for each in found] if flow.concealed else [*found]


def _waiting(found: JobReason) -> JobReason:
    return replace(found, error=None, facts=_without_lock(found.facts))


def _without_lock(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts of a wait, those of the job before it included, without names of locks."""
    shown: dict[str, Any] = {name: CONCEALED if name == "lock" else each for name, each in facts.items()}
    return shown | ({"first": _without_lock(shown["first"])} if shown.get("first") else {})


def _rule(flow: FlowInfo, found: RuleReason) -> RuleReason:
    parts = {
        path: replace(each, attributes=values(flow, each.attributes)) for path, each in found.parts.items()
    }
    return replace(found, parts=parts, obstacles=[_obstacle(flow, each) for each in found.obstacles])


def _obstacle(flow: FlowInfo, found: Obstacle) -> Obstacle:
    return replace(found, now=values(flow, found.now), written=values(flow, found.written))


def preview(flow: FlowInfo, found: RepairPreview) -> RepairPreview:
    """Return the effect of a repair with the values that are shown."""
    return replace(found, before=values(flow, found.before), after=values(flow, found.after))
