"""What the endpoints accept as bodies."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from ninja import Schema
from pydantic import ConfigDict, Field, StringConstraints, model_validator

from flows.capabilities.bulk.api import ManyRepair
from flows.capabilities.cases.api import CLAIM_MINUTES
from flows.capabilities.looks.api import LONGEST_REASON as LONGEST_LOOK
from flows.capabilities.looks.api import MOST_ATTRIBUTES
from flows.capabilities.recovery.api import OperationName
from flows.capabilities.tasks.api import Order
from monitor.api.scalars import PRINTED, Base64, Moment, Storable, plain_numbers

LONGEST_REASON = 1000


Text = Annotated[str, Storable]
SignalText = Annotated[str, StringConstraints(min_length=1, max_length=100), Storable]
ReasonText = Annotated[
    str,
    StringConstraints(min_length=1, max_length=LONGEST_REASON, pattern=PRINTED, strip_whitespace=True),
    Storable,
]


class Input(Schema):
    """A body; other names and values of other types are rejected, so that a misspelling is seen."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def with_plain_numbers(cls, given: Any) -> Any:
        return plain_numbers(given)


class StartIn(Input):
    """The first state of an instance. With a `key`, a repeated request returns the same instance."""

    state: dict[str, Any] = {}
    key: Annotated[str, StringConstraints(min_length=1, max_length=200), Storable] | None = None


class SignalIn(Input):
    """A signal, to the instance with a number or a key; a `token` makes it safe to repeat the request."""

    signal: SignalText
    instance: Annotated[int, Field(ge=1, lt=2**31)] | None = None
    key: SignalText | None = None
    data: dict[str, Any] = {}
    token: SignalText | None = None


class ReasonIn(Input):
    """Why; the history keeps it."""

    reason: ReasonText


class OthersIn(Input):
    """What is known of others who have something of the instance, and may lose it.

    `claimed_by` is the other person who has claimed the case, and `held` how many tasks of the instance other
    persons hold, as a preview says.
    """

    claimed_by: Annotated[str, StringConstraints(max_length=200), Storable] = ""
    held: Annotated[int, Field(ge=0, lt=2**31)] = 0


class OperateIn(OthersIn):
    """Why; the history keeps it. For `claimed_by` and `held`, see the repair of an instance."""

    reason: ReasonText


class LookIn(Input):
    """Masked attributes to look at, and why; the audit of the flow keeps it."""

    attributes: Annotated[list[Annotated[str, StringConstraints(max_length=200), Storable]],
                          Field(min_length=1, max_length=MOST_ATTRIBUTES)]  # fmt: skip
    reason: Annotated[
        str,
        StringConstraints(min_length=1, max_length=LONGEST_LOOK, pattern=PRINTED, strip_whitespace=True),
        Storable,
    ]


class PriorityIn(OperateIn):
    priority: Annotated[int, Field(ge=-32768, le=32767)]


class ChildrenIn(Input):
    """How many children more."""

    count: Annotated[int, Field(ge=1, le=100_000)]


class ExtendIn(OperateIn):
    seconds: Annotated[float, Field(gt=0, le=30 * 86_400)]


class ReassignIn(OperateIn):
    to: Annotated[str, StringConstraints(max_length=200, strip_whitespace=True), Storable]


class RematchIn(OthersIn):
    reason: Annotated[str, StringConstraints(max_length=LONGEST_REASON, strip_whitespace=True), Storable] = ""


class RepairPreviewIn(Input):
    """An operation on an instance with its arguments; see docs/repairing.md."""

    operation: OperationName
    arguments: dict[str, Any] = {}


class RepairIn(RepairPreviewIn, OthersIn):
    """Why, and the step of a preview: at another step nothing is done.

    `claimed_by` is the other person who has claimed the case, and `held` how many tasks of the instance other
    persons hold, as a preview says; they may lose them.
    """

    reason: ReasonText
    seq: Annotated[int, Field(ge=0, lt=2**31)] | None = None


class BulkPreviewIn(Input):
    """A repair of the instances that a filter selects; `transition` names the job of complete and skip."""

    operation: ManyRepair
    q: Annotated[str, StringConstraints(max_length=4000), Storable] = ""
    arguments: dict[str, Any] = {}
    transition: Annotated[str, StringConstraints(max_length=63), Storable] = ""
    limit: Annotated[int, Field(ge=1, le=100, description="How many are previewed.")] = 25


class BulkIn(BulkPreviewIn):
    """Why, and what a preview confirmed; with `atomic` nothing is done unless all can be.

    `claimed` is how many of the cases other persons have claimed, `held` how many tasks of the instances they
    hold, as the preview says.
    """

    reason: ReasonText
    expected: Annotated[int, Field(ge=1, le=100_000)]
    digest: Annotated[str, StringConstraints(max_length=16), Storable]
    atomic: bool = False
    propose: bool = False
    claimed: Annotated[int, Field(ge=0, le=100_000)] = 0
    held: Annotated[int, Field(ge=0, lt=2**31)] = 0


class NoteIn(Input):
    note: Annotated[str, StringConstraints(max_length=LONGEST_REASON), Storable] = ""


Minutes = Annotated[int, Field(ge=1, le=1440, description="How long the claim lasts.")]
QueryText = Annotated[str, StringConstraints(max_length=200), Storable]
LongText = Annotated[str, StringConstraints(max_length=4000), Storable]
Severity = Literal["low", "normal", "high", "critical"]


class NextCaseIn(Input):
    """Which queue; without one the case may be of any."""

    queue: QueryText = ""
    minutes: Minutes = CLAIM_MINUTES


class ClaimIn(Input):
    minutes: Minutes = CLAIM_MINUTES
    take_over: Annotated[LongText, Field(description="Why the claim of another user ends.")] = ""


class CommentIn(Input):
    text: Annotated[str, StringConstraints(max_length=4000, pattern=PRINTED), Storable]


class CaseFileIn(Input):
    """A file for a case: its name, and its content as base64."""

    name: QueryText
    content: Base64


class WaitIn(Input):
    """Until when a case is not offered, or until which condition holds, and why."""

    until: Moment | None = None
    condition: Annotated[LongText, Field(description="An SQL predicate over the attributes.")] = ""
    text: LongText = ""


class CaseChangesIn(Input):
    """New values of a case; null as due time: none."""

    queue: QueryText = ""
    severity: Severity = "normal"
    priority: Annotated[int, Field(ge=0, le=100)] = 50
    due_at: Moment | None = None
    reason_code: QueryText = ""


class SlaIn(Input):
    """An SLA: SQL predicates over the attributes, and the working time of a calendar; see docs/sla.md."""

    name: Text
    duration: Annotated[float, Field(description="Seconds of working time.", allow_inf_nan=False)]
    start_when: Text = ""
    stop_when: Text = ""
    pause_when: Text = ""
    calendar: Annotated[Text, Field(description="Its name; without one all the time counts.")] = ""
    enabled: bool = True


class CalendarIn(Input):
    """Working time: ranges of local time by weekday (1 is Monday), and names of holidays by day."""

    name: Text
    zone: Text
    hours: Annotated[dict[Text, list[list[Text]]], Field(min_length=1)]
    holidays: dict[Text, Text] = {}


class SavedViewIn(Input):
    name: Annotated[str, StringConstraints(min_length=1, max_length=200), Storable]
    query: Text = ""
    flow: Text = ""
    columns: Annotated[list[Text], Field(max_length=200)] = []
    sorting: Literal["", "id"] = ""
    shared: Literal["mine", "team", "everyone"] = "mine"
    team: Text = ""


Claim = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,19}$")]


class NextTaskIn(Input):
    """In which order, and of which flow only.

    `request` is a text of the caller's own: sent again within two days it has the same answer, and takes no
    other task.
    """

    order: Order = "arrival"
    flow: Annotated[str, StringConstraints(max_length=63), Storable] = ""
    request: Annotated[str, StringConstraints(max_length=64, pattern=r"^[!-~]*$")] = ""


class TakeTaskIn(Input):
    """`lock`: for work without a connection."""

    lock: bool = False


class CompleteTaskIn(Input):
    """The values that it writes, its outcome if it has some, and the claim with which it is held."""

    data: dict[str, Any] = {}
    outcome: Annotated[str, StringConstraints(max_length=60), Storable] | None = None
    claim: Claim | None = None


class FailTaskIn(Input):
    reason: ReasonText
    claim: Claim | None = None


class ReleaseTaskIn(Input):
    """`held_by` is the other person who holds the task."""

    held_by: Annotated[str, StringConstraints(max_length=200), Storable] = ""


class GiveTaskIn(Input):
    """`held_by` is the other person who holds the task."""

    to: Annotated[
        str,
        StringConstraints(min_length=1, max_length=150, pattern=PRINTED, strip_whitespace=True),
        Storable,
    ]
    reason: Annotated[str, StringConstraints(max_length=LONGEST_REASON, strip_whitespace=True), Storable] = ""
    held_by: Annotated[str, StringConstraints(max_length=200), Storable] = ""


class AsideTaskIn(Input):
    """Until when; null shows it again."""

    until: Moment | None


Hours = Annotated[str, StringConstraints(max_length=20), Storable]


class ReadMessagesIn(Input):
    """The numbers of messages, or that up to which all are marked."""

    messages: Annotated[list[Annotated[int, Field(ge=1, lt=2**63)]], Field(max_length=500)] | None = None
    until: Annotated[int, Field(ge=1, lt=2**63)] | None = None


class TaskSettingsIn(Input):
    """What is changed; what is left out stays. An empty responsible person is none."""

    responsible: Annotated[str, StringConstraints(max_length=150), Storable] | None = None
    warnings: Annotated[list[Hours], Field(max_length=20)] | None = None
    notified: Literal["all", "fewest_assigned", "fewest_selected", "last_connected"] | None = None
    notified_count: Annotated[int, Field(ge=1, le=1000)] | None = None


class TaskDeadlineIn(Input):
    """Until when the task is to be done."""

    until: Moment


class LateTaskIn(Input):
    """The values of the result, and its outcome if the task has some."""

    data: dict[str, Any] = {}
    outcome: Annotated[str, StringConstraints(max_length=60), Storable] | None = None


DeviceKey = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{16,64}$")]
ResultNumber = Annotated[int, Field(ge=1, lt=2**31)]


class DeviceIn(Input):
    """The key that the device has made for itself, and what it reports."""

    device: DeviceKey
    name: QueryText | None = None
    program: QueryText | None = None
    free_bytes: Annotated[int, Field(ge=0, le=9_000_000_000_000_000)] | None = None
    energy: Annotated[int, Field(ge=0, le=100)] | None = None
    unsent: Annotated[int, Field(ge=0, le=1_000_000)] | None = None


class OfflineResultIn(Input):
    """A result with a number of its own; `discarded`: the person has discarded the one of this number."""

    number: ResultNumber
    task: Annotated[int, Field(ge=1, lt=2**63)] | None = None
    claim: Claim | None = None
    seq: ResultNumber | None = None
    data: dict[str, Any] = {}
    outcome: Annotated[str, StringConstraints(max_length=60), Storable] | None = None
    reason: ReasonText | None = Field(None, description="Why the task could not be done.")
    made_at: Moment | None = Field(None, description="By the clock of the device.")
    discarded: bool = False


class OfflineResultsIn(Input):
    """Results in the order of their numbers; `sent_at` is now by the clock of the device."""

    device: DeviceKey
    sent_at: Moment
    results: Annotated[list[OfflineResultIn], Field(min_length=1, max_length=50)]
