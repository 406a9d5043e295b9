"""Counts of cases over a period."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flows.statements import names, rows

COUNTED_BY = ("cause", "age", "queue", "reason_code", "repairer", "flow", "week")
AGES = ("hour", "day", "week", "month", "older")
MOST_EXAMINED = 100_000


@dataclass(frozen=True, slots=True)
class ReportRow:
    """Cases with one value of what they are counted by; times are seconds from opening to closing.

    `flow` is there only by signature; `newest` is one of the cases. `examined` is how many cases the report
    is about, the newest `MOST_EXAMINED` at most.
    """

    value: str
    flow: str | None
    cases: int
    open: int
    repaired: int
    reopened: int
    median_seconds: float | None
    p90_seconds: float | None
    newest: int
    examined: int


def case_report(
    by: str,
    since: datetime,
    until: datetime,
    flows: Sequence[str] | None = None,
    *,
    limit: int = 200,
    conn: Any = None,
) -> list[ReportRow]:
    """Return the cases that were opened in a period of at most 367 days, counted by one thing.

    `by` is one of `COUNTED_BY`, or "signature". Raises BadCase.
    """
    call = "select * from wedsql.case_report(%s, %s::timestamptz, %s::timestamptz, %s::text[], %s)"
    found = [ReportRow(*each) for each in rows(conn, call, (by, since, until, names(flows), limit))]
    if by == "week":
        return sorted(found, key=lambda one: one.value, reverse=True)
    return sorted(found, key=lambda one: AGES.index(one.value)) if by == "age" else found
