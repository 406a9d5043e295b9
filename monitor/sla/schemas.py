"""What the endpoints of SLAs return."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from ninja import Schema
from pydantic import Field

from monitor.api import inputs


class SlaOut(inputs.SlaIn):
    id: int
    flow: str
    revision: int
    changed_by: str
    changed_at: datetime
    computed: float = Field(description="The share of the instances whose clocks are computed.")
    error: str | None = Field(description="Why clocks are not computed.")


class SlasOut(Schema):
    items: list[SlaOut]


class CalendarOut(inputs.CalendarIn):
    id: int
    flow: str
    revision: int
    changed_by: str
    changed_at: datetime
    used_by: list[str] = Field(description="The names of the SLAs that use it.")


class CalendarsOut(Schema):
    items: list[CalendarOut]


class ClockOut(Schema):
    """A clock of an SLA; times in seconds. `last` is false if the same SLA started again later."""

    sla: str
    calendar: str
    zone: str
    state: Literal["running", "at_risk", "paused", "breached", "met", "cancelled"]
    breached: bool = Field(description="Whether it has run beyond its due time.")
    duration: float
    used: float
    started_at: datetime
    started_seq: int
    due_at: datetime | None
    breached_at: datetime | None
    paused_at: datetime | None
    stopped_at: datetime | None
    last: bool


class ClocksOut(Schema):
    items: list[ClockOut]
