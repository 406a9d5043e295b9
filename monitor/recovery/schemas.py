"""What the endpoints of repairs return."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ninja import Schema
from pydantic import Field

from monitor.api.schemas import DoneOut


class RepairedOut(DoneOut):
    """The instance after the repair."""

    instance: int | None = Field(description="The new instance that a branch began.")


class RefusalOut(Schema):
    """Why a repair would be rejected; `code` is its SQLSTATE."""

    code: str
    detail: str
    hint: str


class ClaimOut(Schema):
    """A claim of another user on the case; it does not prevent the repair."""

    case: int
    owner: str
    since: datetime | None
    until: datetime
    reason: str


class OtherTasksOut(Schema):
    """A person who holds tasks of the instances; it does not prevent the repair."""

    owner: str
    tasks: int
    since: datetime | None


class RepairPreviewOut(Schema):
    """What a repair would do: attributes that change, and transitions that it fires or withdraws."""

    wid: int
    seq: int = Field(
        description="The step at which the instance is; a repair with it is done on this state only."
    )
    before: dict[str, Any]
    after: dict[str, Any]
    status_before: str
    status_after: str
    fires: list[str]
    withdrawn: list[str]
    refusal: RefusalOut | None
    claim: ClaimOut | None
    holders: list[OtherTasksOut] = Field(description="Other persons who hold tasks, 20 at most.")
