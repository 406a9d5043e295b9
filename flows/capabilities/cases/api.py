"""Cases: the work of people on exceptions. The kernel opens and closes them with the exceptions.

`flows` are the flows whose cases the caller may see or repair, which the caller has checked; None means all.
A case of another flow is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from flows.statements import JSON, names, read_as, rows, value

OPEN_STATES = ("new", "claimed", "waiting", "proposed", "approved", "reopened")
CLOSED_STATES = ("applied", "accepted", "closed")
SEVERITIES = ("low", "normal", "high", "critical")
CLAIM_MINUTES = 30
GIVEN_MINUTES = 1440


@dataclass(frozen=True)
class CaseEvent:
    """An entry in the history of a case.

    `kind` is opened, changed, closed, reopened, claimed, taken_over, released, given, commented, waits,
    awaited, set, attached, file_removed or repaired (by another user than the one who has claimed it), and
    of a proposed repair proposed, approved, rejected, withdrawn, expired, applied or not_applied; `detail`
    has what belongs to it.
    """

    id: int
    at: datetime
    kind: str
    actor: str
    text: str
    detail: Mapping[str, Any]


@dataclass(frozen=True)
class Case:
    """A case: an exception of the instance `wid` and the work on it.

    `state` is one of OPEN_STATES or CLOSED_STATES. `cause` is the reason of the exception, `transition` the
    parked transitions or the one that wrote the last state. Cases with the same `signature` have the same
    cause; it is empty until it is computed. `waits_for` is the condition until which it waits, `closed_by`
    the step that ended the exception.
    """

    number: int
    flow: str
    wid: int
    cause: str
    transition: str
    signature: str
    state: str
    seq: int
    opened_at: datetime
    opened_seq: int
    reopened: int
    owner: str
    claimed_until_at: datetime | None
    waits_until_at: datetime | None
    waits_for: str
    queue: str
    severity: str
    priority: int
    due_at: datetime | None
    reason_code: str
    closed_at: datetime | None
    closed_by: str
    history: Sequence[CaseEvent] = ()


@dataclass(frozen=True)
class CaseGroup:
    """Open cases of a flow with one cause and signature; `newest` is the number of one of them."""

    flow: str
    cause: str
    signature: str
    transition: str
    open: int
    last_day: int
    oldest_at: datetime
    newest: int


@dataclass(frozen=True)
class CaseRule:
    """Where cases of a flow go when they open, if `condition` holds on the state; '' always holds.

    `due_after` is in seconds. `condition` is an SQL predicate over the attributes.
    """

    queue: str
    condition: str = ""
    severity: str = "normal"
    priority: int = 50
    due_after: float | None = None


@dataclass(frozen=True)
class SavedCaseRule(CaseRule):
    """A rule as it is saved.

    `missing` has the attributes in its condition that the flow no longer has; then the rule is left out.
    """

    changed_by: str = ""
    changed_at: datetime | None = None
    missing: Sequence[str] = field(default_factory=list)


def list_cases(
    flows: Sequence[str] | None = None,
    where: Mapping[str, Any] | None = None,
    *,
    closed: bool = False,
    after: int | None = None,
    limit: int = 50,
    conn: Any = None,
) -> list[Case]:
    """Return open cases, the most urgent first, or closed ones, the newest first; at most 500.

    `where` has any of state, queue, cause, signature, severity, owner and wid. With a person it also returns
    open cases of other flows about which that person decides. `after` is the number of the
    last case of the page before.
    """
    call = "select wedsql.list_cases(%s::text[], %s, %s, %s, %s)"
    found = rows(conn, call, (names(flows), JSON(dict(where or {})), closed, after, limit))
    return [_case(each) for (each,) in found]


def listed_cases(
    numbers: Sequence[int], flows: Sequence[str] | None = None, *, conn: Any = None
) -> list[Case]:
    """Return these cases in their order, those that there are, at most 501."""
    call = "select wedsql.case_items(%s::text[], %s::bigint[])"
    return [_case(each) for (each,) in rows(conn, call, (names(flows), list(numbers)))]


def read_case(number: int, flows: Sequence[str] | None = None, *, conn: Any = None) -> Case:
    """Return a case with its history, oldest first. Raises UnknownCase."""
    return _case(value(conn, "select wedsql.read_case(%s, %s::text[])", (number, names(flows))))


@dataclass(frozen=True)
class OtherClaims:
    """A person who has claimed cases: how many, and since when the last one."""

    owner: str
    cases: int
    since: datetime | None


def claims_of_others(wids: Sequence[int], person: str, *, conn: Any = None) -> list[OtherClaims]:
    """Return the other persons who have claimed the cases of these instances, 20 at most."""
    call = "select * from wedsql.claims_of_others(%s::integer[], %s)"
    return [OtherClaims(*each) for each in rows(conn, call, (list(wids), person))]


def case_groups(flows: Sequence[str] | None = None, limit: int = 100, *, conn: Any = None) -> list[CaseGroup]:
    """Return the open cases by flow, cause and signature, large groups first."""
    call = "select * from wedsql.case_groups(%s::text[], %s)"
    return [CaseGroup(*each) for each in rows(conn, call, (names(flows), limit))]


def claim_case(
    number: int,
    actor: str,
    minutes: int = CLAIM_MINUTES,
    *,
    take_over: str = "",
    flows: Sequence[str] | None = None,
    conn: Any = None,
) -> Case:
    """Claim a case for some minutes, or renew the claim; `take_over`, a reason, ends that of another user.

    Raises BadCase, UnknownCase, CaseClaimed.
    """
    call = "select wedsql.claim_case(%s, %s, %s, %s, %s::text[])"
    return _case(value(conn, call, (number, actor, minutes, take_over, names(flows))))


def next_case(
    queue: str | None,
    actor: str,
    minutes: int = CLAIM_MINUTES,
    *,
    flows: Sequence[str] | None = None,
    conn: Any = None,
) -> Case | None:
    """Claim the most urgent case of a queue, or of any, that is neither claimed nor waiting.

    None if there is none. Raises BadCase.
    """
    call = "select wedsql.next_case(%s, %s, %s, %s::text[])"
    found = value(conn, call, (queue, actor, minutes, names(flows)))
    return _case(found) if found else None


def give_case(
    number: int,
    to: str,
    actor: str,
    text: str = "",
    *,
    minutes: int = GIVEN_MINUTES,
    flows: Sequence[str] | None = None,
    conn: Any = None,
) -> Case:
    """Give a case that no other user has claimed to a colleague, for some minutes.

    Whether the colleague may handle it is checked by the caller. Raises BadCase, UnknownCase, CaseClaimed.
    """
    call = "select wedsql.give_case(%s, %s, %s, %s, %s, %s::text[])"
    return _case(value(conn, call, (number, to, actor, text, minutes, names(flows))))


def release_case(number: int, actor: str, *, flows: Sequence[str] | None = None, conn: Any = None) -> Case:
    """Give a claimed case back. Raises BadCase, UnknownCase, CaseClaimed."""
    return _case(value(conn, "select wedsql.release_case(%s, %s, %s::text[])", (number, actor, names(flows))))


def comment_case(
    number: int, actor: str, text: str, *, flows: Sequence[str] | None = None, conn: Any = None
) -> None:
    """Add a comment to a case, open or closed. Raises BadCase, UnknownCase."""
    call = "select wedsql.comment_case(%s, %s, %s, %s::text[])"
    value(conn, call, (number, actor, text, names(flows)))


def wait_case(
    number: int,
    until: datetime | None,
    actor: str,
    text: str = "",
    *,
    condition: str = "",
    flows: Sequence[str] | None = None,
    conn: Any = None,
) -> Case:
    """Put a case aside until a time, because information is missing.

    With `condition`, an SQL predicate over the attributes, it waits until that holds, and until the time at
    the latest. Raises BadCase, UnknownCase, CaseClaimed, PredicateRefused, PredicateType.
    """
    call = "select wedsql.wait_case(%s, %s::timestamptz, %s, %s, %s::text[], %s)"
    return _case(value(conn, call, (number, until, actor, text, names(flows), condition)))


def change_case(
    number: int,
    changes: Mapping[str, Any],
    actor: str,
    *,
    flows: Sequence[str] | None = None,
    conn: Any = None,
) -> Case:
    """Change queue, severity, priority, due_at (None: no due time) or reason_code of a case.

    The reason code may be changed of a closed case, too. Raises BadCase, UnknownCase.
    """
    given = {name: each.isoformat() if isinstance(each, datetime) else each for name, each in changes.items()}
    call = "select wedsql.change_case(%s, %s, %s, %s::text[])"
    return _case(value(conn, call, (number, JSON(given), actor, names(flows))))


def list_case_rules(flow: str, *, conn: Any = None) -> list[SavedCaseRule]:
    """Return the rules that route the cases of a flow, in their order. Raises UnknownFlow."""
    found = rows(conn, "select wedsql.list_case_rules(%s)", (flow,))
    return [read_as(SavedCaseRule, each) for (each,) in found]


def save_case_rules(
    flow: str, rules: Sequence[CaseRule], actor: str, *, conn: Any = None
) -> list[SavedCaseRule]:
    """Replace the rules of a flow; the first that holds routes a case when it opens.

    Raises UnknownFlow, PredicateRefused, PredicateType, BadCase.
    """
    given = [{name: asdict(each)[name] for name in CaseRule.__dataclass_fields__} for each in rules]
    found = rows(conn, "select wedsql.save_case_rules(%s, %s, %s)", (flow, JSON(given), actor))
    return [read_as(SavedCaseRule, each) for (each,) in found]


def sign_cases(limit: int = 500, *, conn: Any = None) -> int:
    """Compute signatures of cases, at most `limit` of each flow; return how many. For the reaper."""
    return int(value(conn, "select wedsql.sign_cases(%s)", (limit,)))


def end_waits(limit: int = 200, *, conn: Any = None) -> int:
    """Offer cases again that waited for a condition which holds now; return how many were examined.

    At most `limit` of each flow. For the reaper.
    """
    return int(value(conn, "select wedsql.end_waits(%s)", (limit,)))


def _case(found: Mapping[str, Any]) -> Case:
    history = [read_as(CaseEvent, each) for each in found.get("history", ())]
    return read_as(Case, {**found, "history": history})
