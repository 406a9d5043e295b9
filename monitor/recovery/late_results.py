"""Late results that wait for a decision, as pages show them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from flows import api
from flows.capabilities.recovery.late import LateResult
from flows.queries.definitions import FlowInfo
from monitor.recovery.consequences import plain_text


@dataclass(frozen=True)
class LateCell:
    """An attribute of a late result: when its job began, now, and in the result; None is null."""

    title: str
    type: str
    before: str | None
    present: str | None
    late: str | None
    is_changed: bool


@dataclass(frozen=True)
class LateRow:
    """A late result with the title of its rule and its values by their titles."""

    late: LateResult
    title: str
    cells: list[LateCell]

    @property
    def proposed(self) -> dict[str, Any]:
        """Return the values of the result by attribute."""
        return {one.attribute: one.late for one in self.late.values}


def rows(wid: int, flow: FlowInfo) -> list[LateRow]:
    """Return the late results of an instance on which a person has to decide."""
    titles = {one.tgid: one.title for one in flow.triggers}
    named = {one.name: one for one in flow.attributes}
    return [
        LateRow(_plain(one, flow), titles.get(one.trigger, one.transition), _cells(one, named, flow))
        for one in api.repairs.late_results(wid, undecided=True)
    ]


def _plain(late: LateResult, flow: FlowInfo) -> LateResult:
    """Return a late result without the text of its problem, where it could quote concealed values."""
    return replace(late, problem="") if flow.concealed else late


def _cells(late: LateResult, named: Mapping[str, Any], flow: FlowInfo) -> list[LateCell]:
    """Return the values that the user sees."""
    cells = []
    for one in late.values:
        if not flow.shows(one.attribute):
            continue
        known = named.get(one.attribute)
        texts = (plain_text(one.before), plain_text(one.present), plain_text(one.late))
        title, kind = (known.title, known.type) if known else (one.attribute, "text")
        cells.append(LateCell(title, kind, *texts, one.changed))
    return cells
