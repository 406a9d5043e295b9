"""The cells of a list of cases."""

from __future__ import annotations

from collections.abc import Mapping

from monitor.cases.rows import CaseRow
from monitor.lists import cells as shown
from pages.cells import Cells, Column, Links, beside, spaced, tag
from pages.clock import Clock


def cells(titles: Mapping[str, object]) -> Cells[CaseRow]:
    """Return the maker of the cells of a list of cases."""
    return Cells(titles, _columns(), shown.attribute(lambda row: row.values))


def _columns() -> dict[str, Column[CaseRow]]:
    clock, links = Clock(), Links()
    return {
        "instance": Column(lambda row: shown.instance(links, row.case.wid, row.key)),
        "cause": Column(lambda row: spaced((row.cause, beside(row.transition)))),
        "flow": Column(lambda row: row.flow_title),
        "state": Column(lambda row: tag(row.state)),
        "waits": Column(lambda row: row.waits),
        "queue": Column(lambda row: row.queue),
        "severity": Column(lambda row: row.severity),
        "priority": Column(lambda row: row.case.priority, "num"),
        "due": Column(lambda row: clock.moment(row.case.due_at, none="")),
        "opened": Column(lambda row: clock.ago(row.case.opened_at), "spare"),
        "closed": Column(lambda row: clock.moment(row.case.closed_at, none="")),
    }
