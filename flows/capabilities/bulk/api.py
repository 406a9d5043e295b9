"""Operations on many instances: requested with their numbers, performed by the reaper, a result for each.

`flows.capabilities.bulk.queries.selected` returns the numbers that a filter selects.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any, Literal, TypeAlias, get_args

from flows.capabilities.recovery.api import PROPOSAL_HOURS, RepairPreview, as_preview, as_refusal
from flows.errors import WedError
from flows.statements import JSON, read_as, rows, value

# The operations on many instances that repair them, as the kernel has them (flows.api.operations.offered).
ManyRepair: TypeAlias = Literal["patch", "complete", "skip", "accept", "rollback", "abort"]
BulkResult: TypeAlias = Literal["", "done", "refused", "gone", "left"]


@dataclass(frozen=True)
class BulkRequest:
    """What to do: cancel, rematch, suspend, resume, retry (parked jobs), priority or reassign (open jobs).

    Or a repair with its `arguments`: patch (changes), complete and skip (changes; the job of `transition`),
    accept, rollback (steps from the last one, override, hold), abort (override). `transition` restricts
    retry, priority and reassign to its jobs. `query` is the text of the filter, for the record. `assignee` is
    the worker to which reassign gives the jobs, empty for all. `atomic`: nothing is done unless all can be.
    `propose`: it waits for the approvals that it needs, the last of which starts it.
    """

    operation: str
    reason: str
    priority: int | None = None
    transition: str = ""
    query: str = ""
    assignee: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    atomic: bool = False
    propose: bool = False


@dataclass(frozen=True)
class Bulk:
    """A bulk operation; `left` have no result yet.

    `state` is proposed (it waits for the approvals of its `proposal`), running, paused, withdrawn or
    finished.
    """

    id: int
    operation: str
    priority: int | None
    assignee: str | None
    transition: str
    query: str
    flows: list[str]
    actor: str
    reason: str
    state: str
    total: int
    done: int
    refused: int
    gone: int
    created_at: datetime
    changed_at: datetime
    changed_by: str
    finished_at: datetime | None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    atomic: bool = False
    proposal: int | None = None

    @property
    def is_undone(self) -> bool:
        """Whether it was all or nothing, and one instance could not be performed: nothing is changed."""
        return self.atomic and self.state == "finished" and self.done == 0

    @property
    def left(self) -> int:
        return self.total - self.performed

    @property
    def performed(self) -> int:
        return self.done + self.refused + self.gone


@dataclass(frozen=True)
class BulkRow:
    """One instance and its result: done, refused (with the error), gone (removed meanwhile) or left.

    `status` is the present one, None if it was removed, `before` the one when the operation was requested.
    """

    wid: int
    flow: str
    result: str
    tried_at: datetime | None
    sqlstate: str | None
    message: str | None
    hint: str | None
    detail: str | None
    status: str | None
    before: str


@dataclass(frozen=True)
class BulkPreview:
    """What a repair would do to one instance: its preview, or why that cannot be said or would be refused."""

    wid: int
    preview: RepairPreview | None
    refusal: WedError | None


def digest(wids: Collection[int]) -> str:
    """Return the digest of these numbers, by which `request_bulk` recognizes the instances."""
    return _digest(map(str, sorted(set(wids))))


def digest_at(seqs: Mapping[int, int]) -> str:
    """Return the digest of these numbers at these steps, by which a repair recognizes the instances."""
    return _digest(f"{wid}:{seq}" for wid, seq in sorted(seqs.items()))


def _digest(texts: Iterable[str]) -> str:
    return sha256(",".join(texts).encode()).hexdigest()[:16]


def is_repair(operation: str) -> bool:
    """Return whether an operation on many instances is a repair, confirmed with `digest_at`."""
    return operation in get_args(ManyRepair)


def request_bulk(
    request: BulkRequest,
    wids: Sequence[int],
    *,
    expected: int,
    digest: str | None = None,
    flows: Sequence[str] | None = None,
    actor: str = "",
    conn: Any = None,
) -> Bulk:
    """Request an operation on these instances. `expected` is the number that a person confirmed.

    `digest` is that of the instances that the person confirmed, of a repair `digest_at`; without it only
    their number counts. `flows` are those that the person may operate, None for all. Raises BulkChanged if
    the instances are others, BadBulk, BadRepair, Forbidden, and BadDefinition without a reason;
    NeedsApprovals if other persons have to approve it first, unless the request proposes it to them, which
    is for instances of one flow; then BadProposal if it needs no approvals.
    """
    call = (
        "select wedsql.request_bulk(%s, %s::integer[], %s::integer, %s, %s, %s::integer, %s, %s, %s::text[],"
        " %s, %s, %s, %s, %s::integer)"
    )
    details = (request.reason, actor, request.priority, request.transition, request.query)
    allowed = None if flows is None else list(flows)
    confirmed = (allowed, digest, request.assignee, JSON(dict(request.arguments)), request.atomic)
    given = (
        request.operation,
        list(wids),
        expected,
        *details,
        *confirmed,
        PROPOSAL_HOURS if request.propose else None,
    )
    found = value(conn, call, given)
    return read_as(Bulk, found)


def preview_bulk(
    request: BulkRequest,
    wids: Sequence[int],
    *,
    actor: str = "",
    seconds: float = 3,
    total: int | None = None,
    conn: Any = None,
) -> list[BulkPreview]:
    """Return the effect of a repair on each of these instances, at most 100; fewer when time is over.

    `total` is how many instances the repair is about, if not only these: rules may demand approvals for many.

    Raises BadBulk, BadRepair.
    """
    call = "select wedsql.preview_bulk(%s, %s::integer[], %s, %s, %s, %s, %s)"
    arguments = (request.transition, JSON(dict(request.arguments)), actor, seconds, total)
    return [_row(found) for (found,) in rows(conn, call, (request.operation, list(wids), *arguments))]


def _row(found: Mapping[str, Any]) -> BulkPreview:
    preview = as_preview(found) if "seq" in found else None
    return BulkPreview(found["wid"], preview, preview.refusal if preview else as_refusal(found["refusal"]))


def pause_bulk(bulk: int, *, actor: str = "", conn: Any = None) -> Bulk:
    """Pause a bulk operation. Raises UnknownBulk; BulkEnded, also while it waits for approvals."""
    return _changed(bulk, "paused", actor, conn)


def resume_bulk(bulk: int, *, actor: str = "", conn: Any = None) -> Bulk:
    """Let a paused bulk operation continue. Raises UnknownBulk, BulkEnded."""
    return _changed(bulk, "running", actor, conn)


def withdraw_bulk(bulk: int, *, actor: str = "", conn: Any = None) -> Bulk:
    """Withdraw what is left of a bulk operation; what is done stays. Raises UnknownBulk, BulkEnded."""
    return _changed(bulk, "withdrawn", actor, conn)


def _changed(bulk: int, state: str, actor: str, conn: Any) -> Bulk:
    return read_as(Bulk, value(conn, "select wedsql.change_bulk(%s::bigint, %s, %s)", (bulk, state, actor)))


def read_bulk(bulk: int, *, conn: Any = None) -> Bulk:
    """Return a bulk operation with its progress. Raises UnknownBulk."""
    return read_as(Bulk, value(conn, "select wedsql.read_bulk(%s::bigint)", (bulk,)))


def list_bulk(
    flows: Sequence[str] | None = None, *, before: int | None = None, limit: int = 50, conn: Any = None
) -> list[Bulk]:
    """Return bulk operations, newest first; with `flows` those that are about these flows only."""
    call = "select wedsql.list_bulk(%s::text[], %s::bigint, %s::integer)"
    given = (None if flows is None else list(flows), before, limit)
    return [read_as(Bulk, found) for (found,) in rows(conn, call, given)]


def bulk_rows(
    bulk: int, result: BulkResult = "", *, after: int = 0, limit: int = 50, conn: Any = None
) -> list[BulkRow]:
    """Return instances of a bulk operation with their results, by number, after the number `after`."""
    call = "select wedsql.bulk_rows(%s::bigint, %s, %s::integer, %s::integer)"
    return [read_as(BulkRow, found) for (found,) in rows(conn, call, (bulk, result, after, limit))]


def continue_bulk(limit: int = 100, *, conn: Any = None) -> int | None:
    """Perform one slice of the bulk operation that has waited longest, and return its number.

    None when there is none that can be continued now. In a transaction of its own; for the reaper.
    """
    found = value(conn, "select wedsql.continue_bulk(%s::integer)", (limit,))
    return None if found is None else int(found)
