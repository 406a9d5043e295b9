"""Rows of lists all of whose texts are hostile: made by the types of their fields."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from django.contrib.auth import get_user_model

from flows.capabilities.alerts.api import SavedAlertRule
from flows.capabilities.approvals.api import Proposal
from flows.capabilities.cases.api import Case
from flows.capabilities.tasks.api import Task
from flows.definition.option_labels import EnumType
from flows.queries.definitions import FlowInfo, Trigger
from flows.queries.jobs import OpenJob
from monitor.alerts import cells as alert_cells
from monitor.alerts.rows import RuleRow
from monitor.alerts.selection import KIND as ALERTS
from monitor.approvals import cells as proposal_cells
from monitor.approvals.rows import Row
from monitor.approvals.selection import KIND as APPROVALS
from monitor.cases import cells as case_cells
from monitor.cases.rows import CaseRow
from monitor.cases.selection import KIND as CASES
from monitor.lists import job_cells
from monitor.lists.columns import Cells
from monitor.lists.job_cells import JobRow
from monitor.tasks import cells as task_cells
from monitor.tasks.columns import FIXED
from monitor.tasks.rows import TaskRow
from monitor.views.jobs import KIND as JOBS
from pages.labels import TYPE

T = TypeVar("T")
HOSTILE = "<script>\"'&amp;</td>"
AT = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
# Attributes by column: of each type, and of one whose options have hostile labels.
KINDS = [*TYPE, EnumType.of([HOSTILE], [f"{HOSTILE} = {HOSTILE}"])]
VALUES = {f"attr.{at}": (kind, HOSTILE) for at, kind in enumerate(KINDS)}
COLUMNS = {
    "jobs": JOBS.columns, "cases": CASES.columns, "approvals": APPROVALS.columns, "alerts": ALERTS.columns,
    "tasks": FIXED,
}  # fmt: skip
RULE = Trigger(1, "t", HOSTILE, "c", "a", False, True, None, f"Do {HOSTILE}", None, False, None, "")
FLOW = FlowInfo(1, "f", "", "", 1, False, (), (RULE,))
SIMPLE = {str: HOSTILE, int: 7, float: 1.5, bool: True, datetime: AT, timedelta: timedelta(hours=1)}


def filled(kind: type[T], /, **given: Any) -> T:
    """Return a value of a data class with every field filled, texts with hostile ones."""
    hints = get_type_hints(kind)
    made = {each.name: _value(hints[each.name]) for each in fields(kind) if each.name not in given}  # type: ignore[arg-type]
    return kind(**made, **given)


def _value(hint: Any) -> Any:
    options = [each for each in get_args(hint) if each is not type(None)]
    if get_origin(hint) is None:
        return filled(hint) if is_dataclass(hint) else SIMPLE.get(hint)
    if "Mapping" in str(hint):
        return {}
    return (_value(options[0]),) if "Sequence" in str(hint) else _value(options[0])


def rows(of: str) -> Iterator[Any]:
    """Return rows of a list in the states that decide what its cells show."""
    if of == "jobs":
        for state, name in (("P", None), ("L", HOSTILE), ("K", None)):
            job = filled(OpenJob, state=state, holder=name, assigned_to=None, performer="worker")
            yield JobRow(job, Cells(HOSTILE, VALUES))
    elif of == "cases":
        for state, closed in (("claimed", None), ("open", None), ("closed", AT)):
            case = filled(Case, state=state, closed_at=closed, history=())
            yield filled(CaseRow, case=case, values=VALUES)
    elif of == "approvals":
        for wid in (7, None):
            proposal = filled(Proposal, wid=wid, state="proposed", failure=None, votes=())
            yield filled(Row, proposal=proposal, cells=Cells(HOSTILE, VALUES))
    elif of == "alerts":
        for state in ("active", "failing"):
            yield RuleRow(filled(SavedAlertRule, kind="count", state=state, flow="f"), HOSTILE)
    else:
        yield filled(TaskRow, task=filled(Task, state="R"), state=HOSTILE, values=VALUES)


def cells(of: str, titles: dict[str, str]) -> Any:
    """Return what makes the cells of a list with these columns, for a designer."""
    if of == "jobs":
        user = get_user_model()()
        user._rights = {"f": frozenset({"design"})}  # type: ignore[attr-defined]  # as if read before
        return job_cells.cells(FLOW, user, titles)
    if of == "cases":
        return case_cells.cells(titles)
    if of == "approvals":
        return proposal_cells.cells(titles, [7], closed=False)
    return alert_cells.cells(titles) if of == "alerts" else task_cells.cells(titles)
