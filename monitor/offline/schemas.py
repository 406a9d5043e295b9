"""What the endpoints of devices return."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from ninja import Schema
from pydantic import Field

from monitor.tasks.schemas import TaskSheetOut


class DeviceOut(Schema):
    """`secret` encrypts what the device stores, `settled` is the last result that was decided on."""

    device: int
    state: Literal["active", "withdrawn", "lost"]
    settled: int
    secret: str | None


class OfflineTaskOut(Schema):
    task: int
    version: str


class OfflineTasksOut(Schema):
    """`tasks` is null where the digest that the device knows is that of all."""

    digest: str
    tasks: list[OfflineTaskOut] | None


class OfflinePackageOut(TaskSheetOut):
    """A locked task; a result names `claim` and `seq`, the step on whose values it was made."""

    seq: int
    version: str


class OfflineProblemOut(Schema):
    code: str
    message: str
    hint: str


class OfflineResultOut(Schema):
    """What became of a result.

    `waiting`: an earlier one is missing (`waits_for`); `late`: kept as a late result, which says what became
    of that; `gone`: decided on, and removed with its instance; `rejected`: not kept, to be sent again.
    """

    number: int
    state: Literal["waiting", "accepted", "late", "refused", "discarded", "skipped", "gone", "rejected"]
    task: int | None = None
    instance: int | None = None
    title: str | None = None
    made_at: datetime | None = None
    skew: float | None = Field(None, description="Seconds by which the clock of the device was behind.")
    arrived_at: datetime | None = None
    decided_at: datetime | None = None
    decided_by: str = ""
    seq: int | None = None
    late_id: int | None = None
    late: str | None = None
    late_by: str | None = None
    problem: OfflineProblemOut | None = None
    waits_for: int | None = None


class OfflineResultsOut(Schema):
    results: list[OfflineResultOut]
