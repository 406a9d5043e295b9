"""What a group of cases is about: the values that its rules did not expect, and the error of its job."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from flows import api
from flows.capabilities.cases.api import CaseGroup
from flows.designer.trial.values import as_text
from flows.errors import UnknownCase, UnknownInstance
from flows.labels import translate_label
from flows.queries import jobs
from pages.state_values import shown

_MOST_VALUES = 4


@dataclass(frozen=True)
class Fact:
    """An attribute with its value; None is null."""

    title: str
    value: str | None


@dataclass(frozen=True)
class Found:
    """The values that conditions would need to be others, or the error of the job that failed."""

    values: tuple[Fact, ...] = ()
    error: str = ""


def found_in(group: CaseGroup, repairable: Collection[str]) -> Found:
    """Return the facts of the newest case of a group; none if it was repaired meanwhile.

    Of values only those of the attributes in `repairable`.
    """
    try:
        wid = api.cases.read(group.newest).wid
        if error := _error(wid):
            return Found(error=error)
        return Found(_values(wid, repairable))
    except (UnknownCase, UnknownInstance):
        return Found()


def _error(wid: int) -> str:
    failed = (one.last_error for one in jobs.of_instance(wid) if one.state == "K" and one.tgid)
    return next((error for error in failed if error), "")


def _values(wid: int, repairable: Collection[str]) -> tuple[Fact, ...]:
    """Return the attributes whose values keep the nearest rules from holding."""
    reasons = api.reasons.explain_instance(wid)
    fewest = min((len(one.obstacles) for one in reasons.nearest), default=0)
    near = [one for one in reasons.nearest if len(one.obstacles) == fewest]
    found = {name: value for rule in near for one in rule.obstacles for name, value in one.now.items()}
    return tuple(
        Fact(
            translate_label(reasons.labels.get(name, "")) or name,
            None if value is None else _text(value, reasons.labels.types.get(name, "")),
        )
        for name, value in [one for one in found.items() if one[0] in repairable][:_MOST_VALUES]
    )


def _text(value: Any, kind: str) -> str:
    """Return a value in the reader's form of its type: an option by its label, a number as everywhere."""
    return shown(value if isinstance(value, str) else as_text(value), kind)
