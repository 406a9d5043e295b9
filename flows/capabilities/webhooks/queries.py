"""Applies the filter of a webhook to the steps that were committed."""

from __future__ import annotations

from dataclasses import replace

from flows.capabilities.webhooks.api import WebhookSteps
from flows.filters import parse
from flows.queries.base import snapshot
from flows.queries.definitions import flow_by_name
from flows.queries.history.step_filter import matching

LIMIT_MS = 5_000


def chosen(found: WebhookSteps) -> WebhookSteps:
    """Return the events of steps whose state meets the filter. Raises WedError, DatabaseError."""
    if not found.query or not found.steps:
        return found
    filter_ = parse(found.query, flow_by_name(found.flow))
    with snapshot(LIMIT_MS):
        kept = matching(filter_, found.steps)
    return replace(found, steps=[found.steps[place] for place in kept])
