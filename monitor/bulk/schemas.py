"""What the endpoints of repairs of many instances accept in addresses and return."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from ninja import Schema
from pydantic import Field

from monitor.recovery.schemas import OtherTasksOut, RefusalOut


class BulkPreviewRowOut(Schema):
    """What would become of one instance."""

    wid: int
    status_after: str | None
    fires: list[str]
    refusal: RefusalOut | None


class OtherClaimsOut(Schema):
    """A person who has claimed some of the cases; it does not prevent the repair."""

    owner: str
    cases: int
    since: datetime | None


class BulkPreviewOut(Schema):
    """How many instances there are, and what would become of the first; fewer when time was over."""

    total: int
    applies: int = Field(description="For all others it is certain to be refused.")
    digest: str = Field(description="Confirms these instances at these steps.")
    needed: int = Field(description="How many other persons have to approve it.")
    title: str = Field(description="Of the rule because of which they do.")
    claimed: int = Field(description="How many of the cases other persons have claimed.")
    claims: list[OtherClaimsOut] = Field(description="Who they are, 20 at most.")
    held: int = Field(description="How many tasks of the instances other persons hold.")
    holders: list[OtherTasksOut] = Field(description="Who they are, 20 at most.")
    items: list[BulkPreviewRowOut]


class BulkOut(Schema):
    """An operation on many instances; see docs/repairing.md."""

    id: int
    operation: str
    query: str
    flows: list[str]
    arguments: dict[str, Any]
    atomic: bool
    actor: str
    reason: str
    state: str
    proposal: int | None = Field(description="The proposal, if it needs approvals.")
    total: int
    done: int
    refused: int
    gone: int
    left: int
    created_at: datetime
    finished_at: datetime | None


class BulkRowOut(Schema):
    """One instance and its result: done, refused, gone or left."""

    wid: int
    result: str
    status: str | None
    code: str | None = Field(description="The SQLSTATE of why it was refused.")
    message: str | None
    hint: str | None


class BulkRowsOut(Schema):
    items: list[BulkRowOut]
    next: str | None = Field(None, description="The cursor of the next page; null at the end.")


class ListedResults(Schema):
    result: Literal["", "done", "refused", "gone", "left"] = ""
    cursor: Annotated[str, Field(max_length=9, pattern=r"^[0-9]*$")] = ""
    limit: Annotated[int, Field(ge=1, le=200)] = 50
