"""What the endpoints return."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from ninja import Schema
from pydantic import Field, PlainSerializer, WithJsonSchema

from flows.filters.fields import STATUSES
from monitor.api.responses import Verbatim

STATUS = {code: word for word, code in STATUSES.items()}
# A value that pydantic would reject below 255 levels, and an object that PostgreSQL wrote.
_OBJECT = WithJsonSchema({"type": "object", "additionalProperties": True})
Facts = Annotated[dict[str, Any], PlainSerializer(Verbatim.of, return_type=Any), _OBJECT]
State = Annotated[Any, _OBJECT]
JOB_STATE = {"P": "pending", "L": "leased", "K": "parked"}


class CountOut(Schema):
    """A number; with `capped` it means "at least"."""

    n: int
    capped: bool = False


class TokenOut(Schema):
    name: str
    prefix: str
    flows: list[str]
    rights: list[str]
    expires_at: datetime


class MeOut(Schema):
    """The user of the request, and the token by which it is made, if any."""

    user: str
    token: TokenOut | None = None


class FlowOut(Schema):
    name: str
    title: str
    description: str
    version: int
    statuses: dict[str, CountOut]
    pending: CountOut | None = Field(description="Not known as of a moment in the past.")
    late: CountOut | None
    oldest: datetime | None
    last_activity: datetime | None
    unserved: list[str]


class FlowsOut(Schema):
    items: list[FlowOut]
    next: str | None = Field(None, description="The cursor of the next page; null at the end.")
    as_of: datetime | None = None


class AttributeOut(Schema):
    name: str
    title: str
    type: str
    options: list[str]
    business_key: bool
    description: str


class TriggerOut(Schema):
    id: int
    name: str | None
    title: str
    transition: str | None = Field(description="Null for an integrity condition.")
    condition: str | None
    predicate: str
    final: bool
    enabled: bool
    integrity: str | None = Field(description="When an integrity condition is checked; null for a rule.")


class FlowDetailOut(FlowOut):
    attributes: list[AttributeOut]
    triggers: list[TriggerOut]
    rights: list[str] = Field(description="What the caller may do with the flow.")


class InstanceOut(Schema):
    """One row of a list of instances."""

    wid: int
    flow: str
    status: str
    reason: str | None
    key: str | None
    started_at: datetime
    changed_at: datetime


class InstanceWithValuesOut(InstanceOut):
    """One row of the list of a flow, with the chosen attributes as in a state, cut after 121 characters."""

    seq: int
    values: dict[str, Any]


class InstancesOut(Schema):
    items: list[InstanceOut]
    query: str = Field(description="The filter in canonical form.")
    next: str | None = Field(None, description="The cursor of the next page; null at the end.")
    previous: str | None = Field(None, description="The cursor of the page before; null at the beginning.")
    as_of: datetime | None = None


class InstancesOfFlowOut(InstancesOut):
    items: list[InstanceWithValuesOut]  # type: ignore[assignment]


class JobOut(Schema):
    id: int
    wid: int
    trigger: int
    transition: str
    role: str = Field(description="The role that performs it; empty for none.")
    state: str
    priority: int
    attempts: int
    max_attempts: int | None
    late: bool
    holder: str | None
    assigned_to: str | None
    fired_at: datetime
    not_before: datetime | None
    lease_until: datetime | None
    last_error: str | None


class JobsOut(Schema):
    items: list[JobOut]
    next: str | None = Field(None, description="The cursor of the next page; null at the end.")


class InstanceDetailOut(InstanceOut):
    seq: int
    version: int
    finished_at: datetime | None
    actor: str
    parent: int | None
    state: State
    jobs: list[JobOut]


class CellOut(Schema):
    """A value that a step wrote, as text, cut to 400 characters."""

    name: str
    before: str | None
    after: str | None


class StepOut(Schema):
    """One step of a history."""

    seq: int
    at: datetime
    written_by: str
    fired: list[str]
    status: str
    job: int | None
    cause: int | None
    actor: str
    reason: str | None
    version: int
    changes: list[CellOut]


class StepsOut(Schema):
    items: list[StepOut]
    next: str | None = Field(None, description="The cursor of the next page; null at the end.")
    previous: str | None = Field(None, description="The cursor of the page before; null at the beginning.")


class StepDetailOut(StepOut):
    state: dict[str, str | None] = Field(description="The state as of the step, as text.")


class ObstacleOut(Schema):
    """A part of a condition that would have to change for the rule to fire."""

    text: str
    value: str
    wanted: str
    now: Facts


class RuleReasonOut(Schema):
    id: int | None
    title: str
    transition: str
    final: bool
    enabled: bool
    predicate: str
    value: str = Field(description="t true, f false, u unknown, e failed")
    pending: bool
    due_at: datetime | None
    obstacles: list[ObstacleOut]


class JobReasonOut(Schema):
    id: int
    transition: str
    fired_at: datetime
    attempts: int
    priority: int
    late: bool
    error: str | None
    waits_for: str
    facts: Facts


class WhyOut(Schema):
    """Why an instance is where it is, by the kernel's own evaluation."""

    wid: int
    flow: str
    status: str
    reason: str | None
    seq: int
    at: datetime
    version: int
    state: Facts
    rules: list[RuleReasonOut]
    jobs: list[JobReasonOut]


class SavedViewOut(Schema):
    id: int
    name: str
    owner: str
    flow: str
    query: str
    columns: list[str]
    sorting: str
    shared: str
    team: str


class SavedViewsOut(Schema):
    items: list[SavedViewOut]


class StartedOut(Schema):
    wid: int


class RematchedOut(Schema):
    changed: bool
    fired: list[str]


class DoneOut(Schema):
    """The instance after the operation."""

    wid: int
    status: str
    seq: int
