"""Rows of queries as the endpoints return them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from flows import json_text
from flows.capabilities.reasons.api import InstanceReasons, RuleReason
from flows.queries.counts import Count
from flows.queries.definitions import Attribute
from flows.queries.everywhere import AnyInstance
from flows.queries.history.trace import Step
from flows.queries.instances import CELL_CHARS, InstanceRow
from flows.queries.jobs import OpenJob
from flows.queries.overview import FlowSummary
from monitor.api.schemas import JOB_STATE, STATUS

Out = dict[str, Any]
# The types whose values are no texts in a state.
TYPED = ("integer", "numeric", "boolean", "jsonb")


def count(found: Count) -> Out:
    return {"n": found.n, "capped": found.capped}


def flow(found: FlowSummary) -> Out:
    """Return the summary of a flow."""
    names = ("name", "title", "description", "version", "oldest", "last_activity")
    return {name: getattr(found, name) for name in names} | {
        "statuses": {STATUS[code]: count(n) for code, n in found.statuses.items()},
        "pending": count(found.pending),
        "late": count(found.late),
        "unserved": [each.transition for each in found.unserved],
    }


def past_flow(found: FlowSummary) -> Out:
    """Return the summary of a flow as of a moment, of which jobs are not known."""
    return flow(found) | {"pending": None, "late": None}


def any_instance(found: AnyInstance) -> Out:
    """Return one row of the list over all flows."""
    names = ("wid", "reason", "key", "started_at", "changed_at")
    row = {name: getattr(found, name) for name in names}
    return row | {"flow": found.flow_name, "status": STATUS[found.status]}


def instance_row(found: InstanceRow, flow_name: str, columns: Sequence[Attribute]) -> Out:
    """Return one row of the list of a flow; values have the types of JSON that they have in a state."""
    names = ("wid", "seq", "reason", "key", "started_at", "changed_at")
    row = {name: getattr(found, name) for name in names}
    values = {one.name: _typed(text, one.type) for one, text in zip(columns, found.cells, strict=True)}
    return row | {"flow": flow_name, "status": STATUS[found.status], "values": values}


def _typed(text: str | None, kind: str) -> Any:
    """Return the value of a cell; one that is cut, or has no form in JSON (NaN), stays a text."""
    if text is None or kind not in TYPED or len(text) > CELL_CHARS:
        return text
    try:
        found = json_text.decode(text)
    except (ValueError, RecursionError):
        return text
    return text if isinstance(found, float) else found


def job(found: OpenJob) -> Out:
    """Return a job."""
    return asdict(found) | {"trigger": found.tgid, "state": JOB_STATE.get(found.state, found.state)}


def step(found: Step) -> Out:
    """Return one step of a history, with the values that it wrote."""
    names = ("seq", "at", "written_by", "actor", "reason", "version")
    row = {name: getattr(found, name) for name in names}
    cells = [{"name": c.name, "before": c.before, "after": c.after} for c in found.cells]
    return row | {
        "fired": list(found.fired),
        "status": STATUS[found.status],
        "job": found.job_id,
        "cause": found.cause_seq,
        "changes": cells,
    }


def why(found: InstanceReasons) -> Out:
    """Return why an instance is where it is."""
    names = ("wid", "flow", "reason", "seq", "at", "version", "state")
    row = {name: getattr(found, name) for name in names}
    rules = [_rule(each) for each in found.rules]
    jobs = [asdict(each) for each in found.jobs]
    return row | {"status": STATUS[found.status], "rules": rules, "jobs": jobs}


def _rule(found: RuleReason) -> Out:
    parts = ("id", "title", "transition", "final", "enabled", "predicate", "value", "pending", "due_at")
    row = {name: getattr(found, name) for name in parts}
    wanted = ("text", "value", "wanted", "now")
    return row | {"obstacles": [{name: getattr(o, name) for name in wanted} for o in found.obstacles]}
