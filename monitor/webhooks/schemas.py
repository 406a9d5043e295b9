"""What the HTTP API returns of webhooks."""

from __future__ import annotations

from datetime import datetime

from ninja import Schema
from pydantic import Field


class WebhookOut(Schema):
    """A webhook; `problem` says why it is paused or cannot be evaluated, `last_error` why a message waits."""

    id: int
    url: str | None
    events: list[str]
    query: str
    attributes: list[str]
    enabled: bool
    paused_at: datetime | None
    failing_since_at: datetime | None
    last_error: str | None
    problem: str | None
    waiting: int = Field(description="Messages that wait, at most 1,000.")
    changed_by: str
    changed_at: datetime


class WebhooksOut(Schema):
    items: list[WebhookOut]
