"""Recovery policies: what is done about the cases of a flow by itself, before people are asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from flows.statements import JSON, read_as, rows, value


@dataclass(frozen=True)
class RecoveryPolicy:
    """What is done about a case of a flow, at most `times` times for one instance.

    It suits a case by `cause` (of the case, or TIMEOUT), `transition` and `condition`, an SQL predicate over
    the attributes; an empty one suits all. `delay` is in seconds, from the last step of the instance.
    """

    name: str
    operation: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    cause: str = ""
    transition: str = ""
    condition: str = ""
    times: int = 1
    delay: float = 0


@dataclass(frozen=True)
class SavedPolicy(RecoveryPolicy):
    """A policy as it is saved.

    `missing` has the attributes in its condition that the flow no longer has; then the policy is left out.
    """

    changed_by: str = ""
    changed_at: datetime | None = None
    missing: Sequence[str] = field(default_factory=list)


def list_policies(flow: str, *, conn: Any = None) -> list[SavedPolicy]:
    """Return the policies of a flow in their order. Raises UnknownFlow."""
    found = rows(conn, "select wedsql.list_policies(%s)", (flow,))
    return [read_as(SavedPolicy, each) for (each,) in found]


def save_policies(
    flow: str, policies: Sequence[RecoveryPolicy], actor: str, *, conn: Any = None
) -> list[SavedPolicy]:
    """Replace the policies of a flow; the first that suits a case acts, on open cases as well.

    Raises UnknownFlow, PredicateRefused, PredicateType, BadPolicy, BadRepair, UnknownAttribute, WriteSet.
    """
    given = [{name: asdict(each)[name] for name in RecoveryPolicy.__dataclass_fields__} for each in policies]
    found = rows(conn, "select wedsql.save_policies(%s, %s, %s)", (flow, JSON(given), actor))
    return [read_as(SavedPolicy, each) for (each,) in found]


def deciding_rules(
    case: int, flows: Sequence[str] | None = None, *, conn: Any = None
) -> Mapping[str, int | None]:
    """Return which rules decide about an open case in its present state, by their positions, from 1.

    "queue" is the rule by which it would be routed if it opened now, "policy" the policy that would act;
    None for none. Raises UnknownCase.
    """
    found: Mapping[str, int | None] = value(
        conn, "select wedsql.deciding_rules(%s, %s::text[])", (case, None if flows is None else list(flows))
    )
    return found


def run_policies(limit: int = 10, *, conn: Any = None) -> int:
    """Let policies act on open cases, at most `limit` of them; return how many acted. For the reaper."""
    return int(value(conn, "select wedsql.run_policies(%s)", (limit,)))
