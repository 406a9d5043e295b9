"""Operations by which a person repairs an instance, and what each would do before it is done.

The operations and their arguments: patch (changes), complete, skip (job, changes), retry (job), release,
withdraw (job), extend (job, seconds), reassign (job, worker), rematch, suspend, resume, cancel, accept,
branch (seq), rollback and compensate (seq, override, hold), replay (seq, changes, override),
migrate (version, changes, override),
abort (override), skip_compensation, merge_late (late, changes), discard_late (late), undo.

All raise UnknownInstance, and BadRepair for an operation or argument that does not exist.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flows.errors import WedError
from flows.statements import JSON, typed_error, value

# How long a repair that needs approvals waits for them, unless its maker says so.
PROPOSAL_HOURS = 72


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
    """Return what an operation would do, by doing it and rolling it back, with a refusal, if any."""
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

    NeedsApprovals if other persons have to approve it first (flows.api.propose_repair).

    With `expected_seq`, the `seq` of a preview, InstanceMoved if the instance is at another step by now.
    """
    call = "select wedsql.repair(%s::integer, %s, %s, %s, %s, %s::integer)"
    found = value(conn, call, (wid, operation, JSON(dict(arguments or {})), reason, actor, expected_seq))
    named = {name: found.pop(name) for name in ("wid", "operation", "seq", "status")}
    return Repaired(**named, facts=found)


def repair_operations(*, conn: Any = None) -> Mapping[str, Mapping[str, str]]:
    """Return the operations with the arguments of each and their kinds; "?" marks one that may be left out.

    Kinds: "job" and "seq" (whole numbers), "seconds", "text", "boolean", "object" (attributes with values).
    """
    found: Mapping[str, Mapping[str, str]] = value(conn, "select wedsql.repair_operations()", ())
    return found
