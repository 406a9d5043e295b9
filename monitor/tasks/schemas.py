"""What the endpoints of tasks accept and return."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from ninja import Schema
from pydantic import Field

STATE = {
    "R": "ready", "S": "selected", "L": "locked", "X": "running", "H": "held_back", "D": "succeeded",
    "F": "failed", "W": "withdrawn",
}  # fmt: skip


class TaskOut(Schema):
    """A task, which is a job that a person performs; see docs/worklist.md."""

    task: int
    instance: int
    flow: str
    transition: str
    label: str
    state: Literal["ready", "selected", "locked", "running", "held_back", "succeeded", "failed", "withdrawn"]
    role: str | None = Field(
        description="The role that may take it; null if it is for the people of the flow."
    )
    person: str | None = Field(description="The only person who may take it.")
    owner: str | None
    priority: int
    arrived_at: datetime
    due_at: datetime | None
    owned_at: datetime | None
    hidden_until: datetime | None = Field(description="Until then its owner has put it aside.")
    given_by: str | None
    offline: bool
    ended_at: datetime | None
    ended_by: str | None
    outcome: str | None


class TasksOut(Schema):
    items: list[TaskOut]
    next: str | None = Field(None, description="The cursor of the next page; null at the end.")


class TaskSheetOut(TaskOut):
    """A task with what is needed to perform it."""

    description: str
    reads: list[str]
    writes: list[str]
    outcomes: list[str]
    application: str | None
    values: dict[str, Any] = Field(description="The present values that the caller may see.")
    claim: str | None = Field(description="The token of its holding, for its owner.")


class HeldTaskOut(Schema):
    task: int
    instance: int
    flow: str
    transition: str
    state: Literal["selected", "locked", "running"]
    owner: str
    claim: str
    due_at: datetime | None


class NextTaskOut(Schema):
    """The task that was taken; null where none is open to the caller."""

    task: HeldTaskOut | None


class TaskDoneOut(Schema):
    """What completing a task did; `repeated`: it had been completed in the same way before."""

    seq: int
    status: str
    fired: list[str]
    repeated: bool


class TaskFailedOut(Schema):
    """`FAILED` if its rule has that outcome, else `exception`."""

    became: Literal["FAILED", "exception"]


class TaskLoadOut(Schema):
    owner: str
    held: int
    late: int


class TaskLoadsOut(Schema):
    items: list[TaskLoadOut]


KIND = {"s": "start", "e": "end", "f": "failure", "d": "deadline", "o": "overtaken"}


class MessageOut(Schema):
    """A message to a person; its sender is the instance, if that is still there. See docs/deadlines.md."""

    number: int
    kind: Literal["start", "end", "failure", "deadline", "overtaken"]
    at: datetime
    flow: str
    instance: int | None
    task: int | None
    text: str
    facts: dict[str, Any]
    read_at: datetime | None


class MessagesOut(Schema):
    items: list[MessageOut]
    next: str | None = Field(None, description="The cursor of the next page; null at the end.")
    unread: int = Field(description="How many are not read, at most 1,000.")


class ReadOut(Schema):
    read: int = Field(description="How many were marked.")


class TaskSettingsOut(Schema):
    """What is chosen for the tasks of an instance; `changed_at` is null while it is that of the flow."""

    responsible: str | None
    warnings: list[str] = Field(description="Hours before a deadline, one of which may end with transfer.")
    notified: str
    notified_count: int
    changed_by: str
    changed_at: datetime | None


class TaskDeadlineOut(Schema):
    task: int
    due_at: datetime | None


class LateTaskOut(Schema):
    late: int | None = Field(description="Its number; null where 100 of the instance wait for a decision.")
