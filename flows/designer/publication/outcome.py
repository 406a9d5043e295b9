"""What a publication did, beside what was predicted for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from flows import api
from flows.designer.draft.current import title_at
from flows.types import Counted, Publication


@dataclass(frozen=True)
class Row:
    """One group of instances of a rule, or of all (`rule` is empty): predicted, done, and who differs."""

    rule: str
    group: str
    predicted: Counted
    done: Counted

    @property
    def differs(self) -> bool:
        return self.predicted.count != self.done.count

    @property
    def wids(self) -> list[int]:
        """Return the known instances: where the numbers differ, those that are on one side only."""
        before, after = set(self.predicted.sample), set(self.done.sample)
        return sorted(before ^ after if self.differs else after)[:8]


@dataclass(frozen=True)
class Outcome:
    """The groups of a publication, and the instances that moved between prediction and publication."""

    rows: list[Row]
    moved: Counted
    exact: bool

    @property
    def as_predicted(self) -> bool:
        return not any(row.differs for row in self.rows)


def outcomes(publications: Iterable[int]) -> dict[int, Outcome]:
    """Return the outcomes of several publications that differ from their predictions, by their numbers."""
    found = {number: outcome(each) for number, each in api.publications.read_many(publications).items()}
    return {number: each for number, each in found.items() if each}


def outcome(publication: Publication) -> Outcome | None:
    """Return both sides of a publication with its definition; None if it has only one, or has not ended."""
    predicted, report = publication.prediction, publication.report
    if report and report.get("left"):
        return None
    if publication.status != "published" or not predicted or not report or "by_rule" not in report:
        return None
    triggers = (publication.definition or {}).get("triggers") or []
    rows = [*_of_all(predicted, report), *_of_rules(predicted, report, triggers)]
    return Outcome(
        [row for row in rows if row.predicted.count or row.done.count],
        _counted(report.get("moved")),
        bool(predicted.get("exact")),
    )


def _of_all(predicted: dict[str, Any], report: dict[str, Any]) -> list[Row]:
    names = {
        "new_exception": _("became exceptions"),
        "left_exception": _("left the exception"),
        "final": _("became final"),
        "reopened": _("were reopened"),
    }
    return [
        Row(
            "",
            text,
            _counted(predicted.get(name)),
            Counted(report.get(name, 0), report.get("samples", {}).get(name, [])),
        )
        for name, text in names.items()
    ]


def _of_rules(predicted: dict[str, Any], report: dict[str, Any], triggers: list[dict[str, Any]]) -> list[Row]:
    numbers: list[int] = report.get("numbers", [])
    expected = {
        rule["tgid"] if rule["trigger"] is None else numbers[rule["trigger"]]: rule
        for rule in predicted.get("rules", [])
    }
    rows = []
    for tgid in {**expected, **{int(number): None for number in report["by_rule"]}}:
        place = numbers.index(tgid) if tgid in numbers else None
        title = title_at(triggers, place)
        before, after = expected.get(tgid, {}), report["by_rule"].get(str(tgid), {})
        for name, text in {"fires": _("fired"), "withdrawn": _("jobs were withdrawn")}.items():
            done = Counted(after.get(name, 0), after.get(f"{name}_sample", []))
            rows.append(Row(title, text, _counted(before.get(name)), done))
    return rows


def _counted(found: dict[str, Any] | None) -> Counted:
    return Counted(found["count"], found["sample"]) if found else Counted(0, [])
