"""Counts of cases over a period, and what a rule would have prevented."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flows.api.cases import Case, read_case
from flows.api.connection import rows
from flows.api.proposed_rules import ProposedRule, proposed_rule
from flows.api.suggesting import Suggestion, suggestions

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


@dataclass(frozen=True, slots=True)
class Preventable:
    """Cases with one signature, and the repair that a rule could do for them, with what it has led to.

    `rule` is such a rule, with the number of cases of the period that it would have prevented; None where no
    condition can be derived.
    """

    newest: Case
    cases: int
    repair: Suggestion
    rule: ProposedRule | None


def case_report(
    by: str,
    since: datetime,
    until: datetime,
    flows: Sequence[str] | None = None,
    *,
    limit: int = 200,
    conn: Any = None,
) -> list[ReportRow]:
    """Return the cases that were opened in a period of at most 366 days, counted by one thing.

    `by` is one of `COUNTED_BY`, or "signature". Raises BadCase.
    """
    call = "select * from wedsql.case_report(%s, %s::timestamptz, %s::timestamptz, %s::text[], %s)"
    names = None if flows is None else list(flows)
    found = [ReportRow(*each) for each in rows(conn, call, (by, since, until, names, limit))]
    if by == "week":
        return sorted(found, key=lambda one: one.value, reverse=True)
    return sorted(found, key=lambda one: AGES.index(one.value)) if by == "age" else found


def preventable_cases(
    since: datetime,
    until: datetime,
    flows: Sequence[str] | None = None,
    *,
    limit: int = 10,
    conn: Any = None,
) -> list[Preventable]:
    """Return the largest groups of alike cases of a period that new values have repaired before.

    A rule that writes these values on such a state would have continued the instances instead.
    """
    found = []
    for row in case_report("signature", since, until, flows, limit=limit, conn=conn):
        written = [one for one in suggestions(row.newest, flows, conn=conn) if one.values and one.final]
        if written:
            rule = proposed_rule(row.newest, flows, since=since, conn=conn)
            found.append(Preventable(read_case(row.newest, flows, conn=conn), row.cases, written[0], rule))
    return found
