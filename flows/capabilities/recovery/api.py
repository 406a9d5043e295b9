"""Operations by which a person repairs an instance, and what each would do before it is done.

`operations()` has the operations: the arguments of each, the permission, and the statuses.

All raise UnknownInstance, and BadRepair for an operation or argument that does not exist.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

from flows.errors import WedError
from flows.statements import JSON, typed_error, value

Permission: TypeAlias = Literal["operate", "handle", "repair", "move"]
# The names of the operations for types and documents; the kernel has the table (`operations`).
OperatingName: TypeAlias = Literal[
    "suspend", "resume", "cancel", "rematch", "retry", "release", "withdraw", "extend", "priority",
    "reassign", "hand_over",
]  # fmt: skip
RepairName: TypeAlias = Literal[
    "patch", "accept", "complete", "skip", "rollback", "compensate", "replay", "abort", "migrate",
    "skip_compensation", "branch", "undo", "merge_late", "discard_late",
]  # fmt: skip
OperationName: TypeAlias = Literal[OperatingName, RepairName]

# How long a repair that needs approvals waits for them, unless its maker says so.
PROPOSAL_HOURS = 72


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation on an instance, as the kernel has it (sql/00_operations.sql).

    `permission` is what a user must be allowed in the flow, `unparked` what is enough, too, for a job that is
    not parked. `statuses` are those of the instances on which it is possible. `arguments` has the kind of
    each: "job", "seq", "whole" (whole numbers), "seconds", "text", "boolean", "object" (attributes with
    values); "?" marks one that may be left out. `many` are those for many instances, None where there is no
    such operation, and `jobs` what these must have besides. `form` is "operation" or "repair".
    """

    operation: str
    permission: Permission
    unparked: Permission | None
    statuses: str
    arguments: Mapping[str, str]
    many: Mapping[str, str] | None
    jobs: str
    form: Literal["operation", "repair"]
    in_policies: bool
    can_be_undone: bool
    can_need_approval: bool

    @property
    def of_job(self) -> bool:
        """Return whether it is about a job of the instance."""
        return "job" in self.arguments

    @property
    def of_step(self) -> bool:
        """Return whether it is about a step of the instance."""
        return "seq" in self.arguments

    @property
    def of_late(self) -> bool:
        """Return whether it is about a late result of the instance."""
        return "late" in self.arguments

    @property
    def has_values(self) -> bool:
        """Return whether it writes values of attributes."""
        return "changes" in self.arguments

    @property
    def overrides(self) -> bool:
        """Return whether it can be done although the flow speaks against it."""
        return "override" in self.arguments


@dataclass(frozen=True, slots=True)
class Fired:
    """A rule that fires: its number, and its transition."""

    trigger: int
    transition: str


@dataclass(frozen=True, slots=True)
class PendingJob:
    """A job that is pending: its number, its trigger and its transition."""

    id: int
    trigger: int
    transition: str


@dataclass(frozen=True, slots=True)
class Approvals:
    """How many other persons have to approve a repair, the title of the rule, and the groups it names."""

    needed: int
    title: str
    groups: Sequence[str]


@dataclass(frozen=True, slots=True)
class RepairPreview:
    """What an operation would do to the instance `wid`, which is at step `seq`.

    `before` and `after` have the attributes that change; `became_true` and `became_false` the triggers whose
    conditions do; `steps` the names of the steps that the history gets. `refusal` says why it would be
    refused: then nothing changes. With `approvals.needed` it is proposed, not applied. `facts` has what only
    this operation has to say; with "instance" it would make another instance, and `after` is the state of
    that one; with "claim" another user has claimed the case.
    """

    wid: int
    operation: str
    flow: str
    seq: int
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    status_before: str
    status_after: str
    reason_before: str
    reason_after: str
    fires: Sequence[Fired]
    became_true: Sequence[int]
    became_false: Sequence[int]
    withdrawn: Sequence[PendingJob]
    steps: Sequence[str]
    refusal: WedError | None
    approvals: Approvals
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Repaired:
    """The instance after an operation: its last step and status, and what only this operation has to say."""

    wid: int
    operation: str
    seq: int
    status: str
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LastRepair:
    """The last repair of an instance that can be undone (patch, skip, retry, accept): step `seq`.

    `values` are those that it replaced. `problem` says why it can no longer be undone: `ended`, `moved`,
    `published` or `taken`; empty if it can.
    """

    seq: int
    operation: str
    actor: str
    values: Mapping[str, Any]
    problem: str


def last_repair(wid: int, *, conn: Any = None) -> LastRepair | None:
    """Return the last repair of an instance that the operation `undo` is about; None without one."""
    found = value(conn, "select wedsql.last_repair(%s::integer)", (wid,))
    return LastRepair(**found | {"problem": found["problem"] or ""}) if found else None


def preview_repair(
    wid: int,
    operation: str,
    arguments: Mapping[str, Any] | None = None,
    reason: str = "",
    *,
    actor: str = "",
    conn: Any = None,
) -> RepairPreview:
    """Return the effect of an operation, by doing it and rolling it back, with a refusal, if any."""
    call = "select wedsql.preview_repair(%s::integer, %s, %s, %s, %s)"
    return as_preview(value(conn, call, (wid, operation, JSON(dict(arguments or {})), reason, actor)))


def as_preview(found: Mapping[str, Any]) -> RepairPreview:
    """Return a preview as the kernel has it."""
    return RepairPreview(
        wid=found["wid"],
        operation=found["operation"],
        flow=found["flow"],
        seq=found["seq"],
        before=found["state_before"],
        after=found["state_after"],
        status_before=found["status_before"],
        status_after=found["status_after"],
        reason_before=found["reason_before"] or "",
        reason_after=found["reason_after"] or "",
        fires=[Fired(each["trigger"], each["transition"] or "") for each in found["fires"]],
        became_true=found["became_true"],
        became_false=found["became_false"],
        withdrawn=[
            PendingJob(each["id"], each["trigger"], each["transition"]) for each in found["withdrawn"]
        ],
        steps=found["steps"],
        refusal=as_refusal(found["refusal"]),
        approvals=Approvals(**found["approvals"]),
        facts=found["facts"],
    )


def as_refusal(found: Mapping[str, Any] | None) -> WedError | None:
    """Return the typed error of a refusal as the kernel has it; None for none."""
    if not found:
        return None
    return typed_error(*(found[name] for name in ("sqlstate", "message", "hint", "detail")))


def repair(
    wid: int,
    operation: str,
    arguments: Mapping[str, Any] | None = None,
    reason: str = "",
    *,
    actor: str = "",
    expected_seq: int | None = None,
    conn: Any = None,
) -> Repaired:
    """Perform an operation; the history keeps the reason. Raises what the operation raises.

    NeedsApprovals if other persons have to approve it first (flows.api.approvals.propose).

    With `expected_seq`, the `seq` of a preview, InstanceMoved if the instance is at another step by now.
    """
    call = "select wedsql.repair(%s::integer, %s, %s, %s, %s, %s::integer)"
    found = value(conn, call, (wid, operation, JSON(dict(arguments or {})), reason, actor, expected_seq))
    named = {name: found.pop(name) for name in ("wid", "operation", "seq", "status")}
    return Repaired(**named, facts=found)


def operations(*, conn: Any = None) -> dict[str, Operation]:
    """Return the operations on an instance by their names, in the order of the kernel."""
    found = value(conn, "select wedsql.operations()", ())
    return {each["operation"]: Operation(**each) for each in found}


@cache
def operation_table() -> Mapping[str, Operation]:
    """Return `operations` of the site's database, which are read once per process."""
    return operations()


def operation_permissions(
    wid: int, operation: str, arguments: Mapping[str, Any] | None = None, *, conn: Any = None
) -> list[Permission]:
    """Return the permissions of which a user needs one for an operation on an instance.

    It is empty where there is no such operation.
    """
    call = "select wedsql.operation_permissions(%s::integer, %s, %s)"
    found: list[Permission] = value(conn, call, (wid, operation, JSON(dict(arguments or {}))))
    return found


def repair_operations(*, conn: Any = None) -> Mapping[str, Mapping[str, str]]:
    """Return the arguments of each operation by kind; `operations` has more."""
    return {name: one.arguments for name, one in operations(conn=conn).items()}
