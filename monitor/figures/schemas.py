"""What the endpoint of figures returns."""

from __future__ import annotations

from datetime import datetime

from ninja import Schema
from pydantic import Field


class FigureOut(Schema):
    """What happened in one step of time; times in seconds. `transition` null: the flow as a whole."""

    at: datetime
    transition: str | None
    started: int
    finished: int
    exceptions: int
    done: int
    failed: int
    elapsed_p50: float | None
    elapsed_p95: float | None
    waited_p50: float | None
    waited_p95: float | None
    ran_p50: float | None
    ran_p95: float | None


class FiguresOut(Schema):
    flow: str
    since: datetime
    until: datetime
    every: int = Field(description="The length of one step of time in seconds.")
    items: list[FigureOut]
