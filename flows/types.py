"""Arguments and results of the public API (flows.api): immutable values without behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple

from flows.errors import WedError


class ClaimedJob(NamedTuple):
    """A job that the caller holds: by locks (`claim` is None) or by a lease."""

    id: int
    flow: str
    wid: int
    tgid: int
    transition: str
    claim: int | None
    payload: dict[str, Any]
    state: dict[str, Any]
    matched: list[int]
    timeout: timedelta | None
    deadline: datetime | None
    attempts: int
    reads: list[str] | None
    writes: list[str] | None
    version: int
    mode: str


class Offer(NamedTuple):
    """A pending job that was read without a lock; another worker may hold it by the time it is taken."""

    id: int
    wid: int
    tgid: int
    transition: str


@dataclass(frozen=True, slots=True)
class StartResult:
    """One result of start_many: instance number and status, or the error; `ord` counts the states from 1."""

    ord: int
    wid: int | None
    status: str | None
    error: WedError | None = None


@dataclass(frozen=True, slots=True)
class StepResult:
    """One result of complete_many: number of the step, status and fired transitions, or the error."""

    job_id: int
    ok: bool
    seq: int | None
    status: str | None
    fired: list[str]
    error: WedError | None = None


@dataclass(frozen=True, slots=True)
class FailResult:
    """One result of fail_many: attempts so far, whether the job is parked, else when it is offered again."""

    job_id: int
    attempts: int
    parked: bool
    not_before: datetime | None


@dataclass(frozen=True, slots=True)
class Completion:
    """The result of a job: changed attributes, or the paper's SET string."""

    job: ClaimedJob
    changes: Mapping[str, Any] | None = None
    set_text: str | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed attempt of a job."""

    job: ClaimedJob
    message: str
    sqlstate: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two definitions: the old and the new value.

    A setting is an object with one option. `old` is empty for what was added, `new` for what was removed.
    """

    part: Literal["setting", "attribute", "trigger"]
    kind: Literal["added", "changed", "removed"]
    old: dict[str, Any]
    new: dict[str, Any]


@dataclass(frozen=True, slots=True)
class PublishReport:
    """Counts of what publishing changed, or would change (dry_run), in the definition and in instances."""

    version: int
    dry_run: bool
    attributes_added: int = 0
    attributes_changed: int = 0
    attributes_removed: int = 0
    triggers_added: int = 0
    triggers_changed: int = 0
    triggers_removed: int = 0
    checked: int = 0
    changed: int = 0
    left_exception: int = 0
    new_exception: int = 0
    final: int = 0
    reopened: int = 0
    fired: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Problem:
    """One reason for which a definition cannot be published.

    `path` leads to it: ("triggers", 3, "predicate"). `position` (from 1) and `length` are those of characters
    in a condition.
    """

    path: tuple[str | int, ...]
    position: int | None
    length: int | None
    code: str
    message: str
    hint: str = ""
    reason: str = ""
    severity: Literal["error", "warning", "info"] = "error"


@dataclass(frozen=True, slots=True)
class Truths:
    """The values of a definition's conditions on one state.

    `held` has a letter for each trigger in its place: t true, f false, u unknown, e failed. `errors` has
    SQLSTATE and message of those that failed.
    """

    held: str
    errors: dict[int, tuple[str, str]] = field(default_factory=dict)


class ConditionFunction(NamedTuple):
    """One function that a condition may call."""

    name: str
    arguments: str
    returns: str


@dataclass(frozen=True, slots=True)
class Completions:
    """What a condition may contain besides attributes."""

    functions: list[ConditionFunction]
    keywords: list[str]
    operators: list[str]
    types: list[str]


@dataclass(frozen=True, slots=True)
class Situation:
    """An invented instance after a step of a trial. Triggers are named by their places in the definition.

    `held` has the value of each condition, as in Truths; `fired`, `withdrawn` and `errors` are those of the
    last step. `stored` is the whole as JSON, which the next step needs.
    """

    state: dict[str, Any]
    status: str
    reason: str | None
    held: str
    fired: list[int]
    pending: list[int]
    parked: list[int]
    waiting: dict[int, str]
    withdrawn: list[int]
    errors: dict[int, str]
    stored: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a condition with its value on a state, and the values of the attributes in it."""

    kind: Literal["and", "or", "not", "leaf"]
    position: int
    text: str
    value: str
    attributes: dict[str, Any]

    @property
    def sentence(self) -> str:
        """Return it in words: payment = 'paid' is false: payment is 'declined'."""
        values = ", ".join(f"{name} is {_as_sql(value)}" for name, value in self.attributes.items())
        return f"{self.text} {_VALUES[self.value]}" + (f": {values}" if values else "")


@dataclass(frozen=True, slots=True)
class Explanation:
    """The value of a condition on a state, and the fewest parts that would have to change for it to hold."""

    value: str
    obstacles: list[Part]


_VALUES = {"t": "is true", "f": "is false", "u": "is unknown", "e": "fails"}


def _as_sql(value: Any) -> str:
    if value is None:
        return "null"
    return (
        repr(value).lower()
        if isinstance(value, bool)
        else f"'{value}'"
        if isinstance(value, str)
        else str(value)
    )


class DraftAt(NamedTuple):
    """A revision of a draft, from which a change of it is made."""

    flow: str
    branch: str
    revision: int


@dataclass(frozen=True, slots=True)
class DraftInfo:
    """A draft of a flow's definition without its content.

    `base_version` is the version that it changes, `running_version` the one that runs; 0 is a flow that was
    never published. `revision` grows by one with each save.
    """

    flow: str
    branch: str
    base_version: int
    running_version: int
    revision: int
    created_at: datetime
    created_by: str
    changed_at: datetime
    changed_by: str
    can_undo: bool
    can_redo: bool

    @property
    def at(self) -> DraftAt:
        """Return the revision that was read, to make a change from it."""
        return DraftAt(self.flow, self.branch, self.revision)

    @property
    def stale(self) -> bool:
        """Return whether the flow was published after the draft was opened or merged."""
        return self.base_version != self.running_version


@dataclass(frozen=True, slots=True)
class Draft(DraftInfo):
    """A draft with its content, and the definition that it was opened from (`base`)."""

    base: dict[str, Any]
    definition: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Revision:
    """One saved revision of a draft without its content; `parent` is the one that undo returns to."""

    revision: int
    at: datetime
    actor: str
    summary: str
    base_version: int
    parent: int | None


@dataclass(frozen=True, slots=True)
class Version:
    """One published version of a flow without its definition.

    Without a `publication_id` it was published directly: by SQL, a file, a migration or the admin's form.
    """

    version: int
    at: datetime
    actor: str
    reason: str
    approver: str
    publication_id: int | None


@dataclass(frozen=True, slots=True)
class PublicationChoices:
    """How a definition is published: why, when (None: as soon as it may), and whether instances are reopened.

    `prediction` is kept with the publication, to be compared with its report.
    """

    reason: str = ""
    reopen_final: bool = False
    publish_at: datetime | None = None
    prediction: Mapping[str, Any] | None = None


PublicationStatus = Literal["requested", "approved", "published", "rejected", "withdrawn", "failed"]


@dataclass(frozen=True, slots=True)
class Publication:
    """A request to publish a definition, and what became of it.

    `requested` waits for its approval, `approved` for its time. `definition` is None in lists. `message` is
    why the last try to publish it failed.
    """

    id: int
    flow: str
    branch: str
    revision: int | None
    base_version: int
    reason: str
    reopen_final: bool
    prediction: dict[str, Any] | None
    publish_at: datetime | None
    status: PublicationStatus
    needs_approval: bool
    requested_by: str
    requested_at: datetime
    decided_by: str | None
    decided_at: datetime | None
    note: str
    version: int | None
    report: dict[str, Any] | None
    tried_at: datetime | None
    sqlstate: str | None
    message: str | None
    definition: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Counted:
    """A number of instances, and the numbers of up to 20 of them."""

    count: int
    sample: list[int]


@dataclass(frozen=True, slots=True)
class RuleImpact:
    """What publishing changes for one trigger: its number, and its place in the new definition.

    `tgid` is None for a new trigger, `trigger` for one that is removed. Of the groups the first four are all
    instances by whether its condition holds before and after; `loses_condition` have a pending job of it and
    the condition no longer holds; the jobs of `withdrawn` go.
    """

    tgid: int | None
    trigger: int | None
    both: Counted
    only_before: Counted
    only_after: Counted
    neither: Counted
    fires: Counted
    loses_condition: Counted
    withdrawn: Counted
    fails: Counted


@dataclass(frozen=True, slots=True)
class Impact:
    """What publishing would do to living instances; counts are of those that were examined.

    `no_longer_final` are final instances whose final condition no longer holds; they are counted if
    `finals_examined`. `refused`: a condition with on_error = abort fails on them, so publishing is refused.
    `stops_readers`: publishing locks the flow's table also against readers, because attributes change.
    """

    living: int
    examined: int
    exact: bool
    rules: list[RuleImpact]
    fired: dict[str, int]
    settled: int
    left_exception: Counted
    new_exception: Counted
    final: Counted
    reopened: Counted
    no_longer_final: Counted
    refused: Counted
    finals_examined: bool
    stops_readers: bool
    seconds: float
    estimated_seconds: float
