"""Results that came too late: kept, merged by the reaper or shown to people, who decide.

A person decides with `repair(wid, "merge_late", {"late": id, "changes": {...}})` or `"discard_late"`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from flows.statements import read_as, value


@dataclass(frozen=True, slots=True)
class LateValue:
    """An attribute of a late result: when its job began, now, and in the result.

    `changed`: another step gave it another value since.
    """

    attribute: str
    before: Any
    present: Any
    late: Any
    changed: bool


@dataclass(frozen=True, slots=True)
class LateResult:
    """A result that came too late for its job, about the state of step `seq`.

    `code`: the SQLSTATE with which it was rejected. `state`: kept (the reaper decides), conflict (a person
    decides), merged, same (the instance had these values already), discarded. `problem`: why it was not
    merged by itself, if it is not that values changed.
    """

    id: int
    job: int
    transition: str
    trigger: int
    seq: int
    actor: str
    code: str
    state: str
    problem: str
    received_at: datetime
    decided_at: datetime | None
    decided_by: str
    reason: str
    values: Sequence[LateValue]


def late_results(wid: int, *, undecided: bool = False, conn: Any = None) -> list[LateResult]:
    """Return the late results of an instance, the last ones first; only those that wait for a person."""
    found = value(conn, "select wedsql.late_results(%s::integer, %s)", (wid, undecided))
    return [_result(each) for each in found]


def _result(found: Mapping[str, Any]) -> LateResult:
    return replace(read_as(LateResult, found), values=[LateValue(**each) for each in found["values"]])


def decide_late(limit: int = 50, *, conn: Any = None) -> int:
    """Merge late results, or make cases of them, at most `limit`; return how many. For the reaper."""
    return int(value(conn, "select wedsql.decide_late(%s)", (limit,)))
