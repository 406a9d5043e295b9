"""The cells of a list of tasks."""

from __future__ import annotations

from collections.abc import Mapping

from django.template.defaultfilters import filesizeformat

from monitor.lists import cells as shown
from monitor.tasks.rows import TaskRow
from pages.cells import Cells, Column, Content, spaced, tag
from pages.clock import Clock
from pages.markup import format_html


def cells(titles: Mapping[str, object]) -> Cells[TaskRow]:
    """Return the maker of the cells of a list of tasks."""
    return Cells(titles, _columns(), shown.attribute(lambda row: row.values))


def _columns() -> dict[str, Column[TaskRow]]:
    clock = Clock()
    return {
        "instance": Column(lambda row: spaced((row.task.wid, shown.named(row.key)))),
        "flow": Column(lambda row: row.flow_title),
        "for": Column(lambda row: row.audience),
        "priority": Column(lambda row: row.task.priority, "num"),
        "size": Column(lambda row: filesizeformat(row.task.size), "num"),
        "due": Column(lambda row: _due(row, clock)),
        "arrived": Column(lambda row: clock.ago(row.task.arrived_at)),
        "until": Column(lambda row: clock.moment(row.task.hidden_until, none="")),
        "state": Column(lambda row: tag(row.state)),
        "holder": Column(lambda row: row.task.owner or ""),
        "outcome": Column(lambda row: row.outcome),
        "ended": Column(lambda row: clock.ago(row.task.ended_at, none="")),
    }


def _due(row: TaskRow, clock: Clock) -> Content:
    if not (at := row.task.due_at):
        return ""
    html = '<span class="bad">{}</span>' if clock.is_past(at) else "<span>{}</span>"
    return format_html(html, clock.moment(at))
